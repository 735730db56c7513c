"""English personal names in census proportions, with their real tail and their usual spelling.

The counts are those of the United States census (public domain, ``data/README.txt``): given names by sex, 1990; surnames, 2010. The
8,000 most frequent surnames each have their own count, every further one stands for a block of 40 neighbours by rank, so that the
mass of the tail (27 % of all bearers) is kept although only one name in forty of it is stored. None of the lists is shared with the
surrogate pools.
"""

from __future__ import annotations

import csv
import random
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Final, Literal, TypeAlias

Sex: TypeAlias = Literal["F", "M"]

_DATA: Final = Path(__file__).with_name("data")

#: Shares of people with a middle initial and, by sex, with a hyphenated double surname.
_MIDDLE_SHARE: Final = 0.85
_DOUBLE_SHARE: Final[dict[Sex, float]] = {"F": 0.025, "M": 0.005}

#: Given names that are also common English words, months or flowers.
FIRST_NAMES_THAT_ARE_WORDS: Final[tuple[str, ...]] = (
    *("Will", "Mark", "Bill", "Rich", "Frank", "Grant", "Rob", "Pat", "Jack", "Chuck", "Drew", "Chip", "Miles", "Dean", "Guy"),
    *("May", "Rose", "Grace", "Hope", "Faith", "Joy", "Dawn", "April", "June", "Summer", "Iris", "Ivy", "Violet", "Pearl", "Ruby"),
    *("Amber", "Olive", "Penny", "Sandy", "Robin", "Bonnie", "Mercy", "Patience", "Melody", "Ginger", "Autumn", "Daisy", "Holly"),
    *("Art", "Sky", "Buck", "Rusty", "Ray", "Lance", "Pierce", "Max", "Sterling", "Christian", "Norm", "Gene"),
)
#: Surnames that are also common English words, trades or colours.
SURNAMES_THAT_ARE_WORDS: Final[tuple[str, ...]] = (
    *("Young", "Long", "Page", "Law", "Price", "Rich", "Baker", "King", "Hill", "Wood", "Woods", "Brown", "White", "Black", "Green"),
    *("Gray", "Day", "Case", "Post", "Best", "Good", "Little", "Small", "Short", "Sharp", "Strong", "Swift", "Wise", "Bright"),
    *("Banks", "Bond", "Bill", "Marsh", "Field", "Fields", "Rivers", "Brooks", "Stone", "Waters", "Snow", "Frost", "Winter"),
    *("Summers", "Church", "Bishop", "Judge", "Cook", "Carter", "Mason", "Miller", "Fisher", "Hunter", "Porter", "Parker", "Potter"),
    *("Hand", "Head", "Foot", "Love", "Battle", "Justice", "Power", "Powers", "Street", "Lane", "Hall", "House", "Park", "Parks"),
    *("Major", "Sargent", "Marshall", "Chambers", "Bell", "Ball", "Barber", "Means", "Mayes", "May", "March", "Lord", "Noble"),
    *("West", "North", "East", "Berry", "Rice", "Bass", "Crane", "Drake", "Fox", "Wolf", "Lamb", "Bird", "Finch", "Booker", "Gates"),
)

#: Given name to the short forms that colleagues use.
NICKNAMES: Final[dict[str, tuple[str, ...]]] = {
    "William": ("Bill", "Will", "Billy"), "Robert": ("Bob", "Rob", "Bobby"), "Richard": ("Rick", "Rich", "Dick"),
    "James": ("Jim", "Jimmy"), "John": ("Jack", "Johnny"), "Michael": ("Mike", "Mick"), "Charles": ("Chuck", "Charlie"),
    "Thomas": ("Tom", "Tommy"), "Joseph": ("Joe", "Joey"), "David": ("Dave",), "Daniel": ("Dan", "Danny"),
    "Christopher": ("Chris",), "Matthew": ("Matt",), "Anthony": ("Tony",), "Donald": ("Don",), "Steven": ("Steve",),
    "Stephen": ("Steve",), "Edward": ("Ed", "Ted"), "Kenneth": ("Ken",), "Ronald": ("Ron",), "Timothy": ("Tim",),
    "Jeffrey": ("Jeff",), "Gregory": ("Greg",), "Andrew": ("Andy", "Drew"), "Lawrence": ("Larry",), "Benjamin": ("Ben",),
    "Samuel": ("Sam",), "Raymond": ("Ray",), "Patrick": ("Pat",), "Alexander": ("Alex",), "Nicholas": ("Nick",),
    "Jonathan": ("Jon",), "Gerald": ("Jerry",), "Phillip": ("Phil",), "Philip": ("Phil",), "Douglas": ("Doug",),
    "Frederick": ("Fred",), "Walter": ("Walt",), "Henry": ("Hank",), "Francis": ("Frank",), "Eugene": ("Gene",),
    "Leonard": ("Len",), "Arthur": ("Art",), "Albert": ("Al",), "Stanley": ("Stan",), "Theodore": ("Ted",), "Peter": ("Pete",),
    "Nathan": ("Nate",), "Zachary": ("Zach",), "Joshua": ("Josh",), "Vincent": ("Vince",), "Norman": ("Norm",),
    "Elizabeth": ("Liz", "Beth", "Betsy"), "Margaret": ("Peggy", "Maggie", "Meg"), "Katherine": ("Kathy", "Kate"),
    "Catherine": ("Cathy", "Cate"), "Kathleen": ("Kathy",), "Patricia": ("Pat", "Patty", "Trish"), "Jennifer": ("Jen", "Jenny"),
    "Susan": ("Sue",), "Deborah": ("Deb", "Debbie"), "Debra": ("Deb",), "Barbara": ("Barb",), "Rebecca": ("Becky",),
    "Pamela": ("Pam",), "Sandra": ("Sandy",), "Christine": ("Chris", "Tina"), "Christina": ("Tina", "Chris"),
    "Victoria": ("Vicky", "Tori"), "Theresa": ("Terri",), "Teresa": ("Terri",), "Jacqueline": ("Jackie",), "Cynthia": ("Cindy",),
    "Judith": ("Judy",), "Dorothy": ("Dot", "Dottie"), "Kimberly": ("Kim",), "Virginia": ("Ginny",), "Melissa": ("Missy",),
    "Amanda": ("Mandy",), "Samantha": ("Sam",), "Stephanie": ("Steph",), "Nancy": ("Nan",), "Eleanor": ("Ellie",),
    "Frances": ("Fran",), "Gloria": ("Glo",), "Jessica": ("Jess",), "Valerie": ("Val",), "Abigail": ("Abby",),
    "Penelope": ("Penny",), "Alexandra": ("Alex",), "Angela": ("Angie",), "Janet": ("Jan",), "Lillian": ("Lil",),
}  # fmt: skip

_WITH_SPACE: Final[dict[str, str]] = {
    name.replace(" ", "").replace(".", "").upper(): name
    for name in (
        *("De La Cruz", "De La Rosa", "De La Torre", "De La Garza", "De La Fuente", "De La Paz", "De La O", "De La Cuesta"),
        *("De Los Santos", "De Los Reyes", "De Leon", "De Jesus", "De Anda", "De Luna", "De Hoyos", "De Guzman", "De Lara"),
        *("Del Valle", "Del Rio", "Del Toro", "Del Rosario", "Del Real", "Del Cid", "San Miguel", "San Juan", "Santa Cruz"),
        *("St. John", "St. Clair", "St. Pierre", "St. Louis", "St. Germain", "St. Onge"),
        *("Van Dyke", "Van Horn", "Van Horne", "Van Meter", "Van Winkle", "Van Pelt", "Van Buren", "Van Sickle", "Van Houten"),
        *("Van Buskirk", "Van Ness", "Van Dam", "Van Damme", "Van Gundy", "Van Antwerp", "Van Nuys", "Van Blaricom"),
        *("Van Den Berg", "Van Der Zee", "Van Der Weele", "Van Beekum", "De Vries", "De Jong", "De Boer", "De Groot"),
    )
}
_INNER_CAPITAL: Final[dict[str, str]] = {
    name.upper(): name
    for name in (
        *("MacDonald", "MacKenzie", "MacKay", "MacLeod", "MacLean", "MacMillan", "MacPherson", "MacGregor", "MacFarlane"),
        *("MacDougall", "MacKinnon", "DeAngelis", "DeAngelo", "DeMarco", "DeSantis", "DeLuca", "DeRosa", "DiMarco", "DiPietro"),
        *("DiCarlo", "DiStefano", "DiBenedetto", "DiGiovanni", "LaRosa", "LaRocca", "LaPorte", "LeBlanc", "DeYoung", "DeCarlo"),
    )
}
_IRISH: Final[frozenset[str]] = frozenset(
    "OBRIEN OCONNOR OCONNELL ONEILL ONEAL ONEIL ONEALL ODONNELL OLEARY OHARA OMALLEY OKEEFE OKEEFFE OROURKE OREILLY OSULLIVAN OTOOLE "
    "OSHEA OGRADY OBRYAN OHARE OMEARA OMARA OKELLY ODWYER ODAY ODEA OCONNER OBRYANT OFARRELL OFLAHERTY OHAGAN OHANLON "
    "OKANE OHERN ODOHERTY ODONOGHUE ODRISCOLL OGORMAN OCALLAGHAN OSHAUGHNESSY OBOYLE ODOWD ODELL".split()
) - {"ODELL"}
