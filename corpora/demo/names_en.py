"""English personal names in census proportions, with their real tail and their usual spelling.

The counts are those of the United States census (public domain, ``data/README.txt``): given names by sex, 1990; surnames, 2010.
The 5,000 most frequent surnames carry their own count; of the rest every twelfth is kept with twelve times its count, so that the
mass of the tail (a third of all bearers) is right. None of the lists is shared with the surrogate pools.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from corpora.demo.weighted import Weighted, rows

Sex: TypeAlias = Literal["F", "M"]

#: Shares of people with a middle initial and, by sex, with a hyphenated double surname.
_MIDDLE_SHARE: Final = 0.85
_DOUBLE_SHARE: Final[dict[Sex, float]] = {"F": 0.025, "M": 0.005}

# fmt: off
#: Given names that are also common English words, months or flowers.
FIRST_NAMES_THAT_ARE_WORDS: Final[tuple[str, ...]] = (
    "Will", "Mark", "Bill", "Rich", "Frank", "Grant", "Rob", "Pat", "Jack", "Chuck", "Drew", "Chip", "Miles", "Dean", "Guy",
    "May", "Rose", "Grace", "Hope", "Faith", "Joy", "Dawn", "April", "June", "Summer", "Iris", "Ivy", "Violet", "Pearl", "Ruby",
    "Amber", "Olive", "Penny", "Sandy", "Robin", "Bonnie", "Mercy", "Patience", "Melody", "Ginger", "Autumn", "Daisy", "Holly",
    "Art", "Sky", "Buck", "Rusty", "Ray", "Lance", "Pierce", "Max", "Sterling", "Christian", "Norm", "Gene",
)
#: Surnames that are also common English words, trades or colours.
SURNAMES_THAT_ARE_WORDS: Final[tuple[str, ...]] = (
    "Young", "Long", "Page", "Law", "Price", "Rich", "Baker", "King", "Hill", "Wood", "Woods", "Brown", "White", "Black",
    "Green", "Gray", "Day", "Case", "Post", "Best", "Good", "Little", "Small", "Short", "Sharp", "Strong", "Swift", "Wise",
    "Bright", "Banks", "Bond", "Bill", "Marsh", "Field", "Fields", "Rivers", "Brooks", "Stone", "Waters", "Snow", "Frost",
    "Winter", "Summers", "Church", "Bishop", "Judge", "Cook", "Carter", "Mason", "Miller", "Fisher", "Hunter", "Porter",
    "Parker", "Potter", "Hand", "Head", "Foot", "Love", "Battle", "Justice", "Power", "Powers", "Street", "Lane", "Hall",
    "House", "Park", "Parks", "Major", "Sargent", "Marshall", "Chambers", "Bell", "Ball", "Barber", "Means", "Mayes", "May",
    "March", "Lord", "Noble", "West", "North", "East", "Berry", "Rice", "Bass", "Crane", "Drake", "Fox", "Wolf", "Lamb", "Bird",
    "Finch", "Booker", "Gates",
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
    "Victoria": ("Vicky", "Tori"), "Theresa": ("Terri",), "Teresa": ("Terri",), "Jacqueline": ("Jackie",),
    "Cynthia": ("Cindy",), "Judith": ("Judy",), "Dorothy": ("Dot", "Dottie"), "Kimberly": ("Kim",), "Virginia": ("Ginny",),
    "Melissa": ("Missy",), "Amanda": ("Mandy",), "Samantha": ("Sam",), "Stephanie": ("Steph",), "Nancy": ("Nan",),
    "Eleanor": ("Ellie",), "Frances": ("Fran",), "Gloria": ("Glo",), "Jessica": ("Jess",), "Valerie": ("Val",),
    "Abigail": ("Abby",), "Penelope": ("Penny",), "Alexandra": ("Alex",), "Angela": ("Angie",), "Janet": ("Jan",),
    "Lillian": ("Lil",),
}

_WITH_SPACE: Final[dict[str, str]] = {
    name.replace(" ", "").replace(".", "").upper(): name
    for name in (
        "De La Cruz", "De La Rosa", "De La Torre", "De La Garza", "De La Fuente", "De La Paz", "De La O", "De La Cuesta",
        "De Los Santos", "De Los Reyes", "De Leon", "De Jesus", "De Anda", "De Luna", "De Hoyos", "De Guzman", "De Lara",
        "Del Valle", "Del Rio", "Del Toro", "Del Rosario", "Del Real", "Del Cid", "San Miguel", "San Juan", "Santa Cruz",
        "St. John", "St. Clair", "St. Pierre", "St. Louis", "St. Germain", "St. Onge", "Van Dyke", "Van Horn", "Van Horne",
        "Van Meter", "Van Winkle", "Van Pelt", "Van Buren", "Van Sickle", "Van Houten", "Van Buskirk", "Van Ness", "Van Dam",
        "Van Damme", "Van Gundy", "Van Antwerp", "Van Nuys", "Van Blaricom", "Van Den Berg", "Van Der Zee", "Van Der Weele",
        "Van Beekum", "De Vries", "De Jong", "De Boer", "De Groot",
    )
}
_INNER_CAPITAL: Final[dict[str, str]] = {
    name.upper(): name
    for name in (
        "MacDonald", "MacKenzie", "MacKay", "MacLeod", "MacLean", "MacMillan", "MacPherson", "MacGregor", "MacFarlane",
        "MacDougall", "MacKinnon", "DeAngelis", "DeAngelo", "DeMarco", "DeSantis", "DeLuca", "DeRosa", "DiMarco", "DiPietro",
        "DiCarlo", "DiStefano", "DiBenedetto", "DiGiovanni", "LaRosa", "LaRocca", "LaPorte", "LeBlanc", "DeYoung", "DeCarlo",
    )
}
_IRISH: Final[frozenset[str]] = frozenset(
    name.replace("'", "").upper()
    for name in (
        "O'Brien", "O'Connor", "O'Connell", "O'Neill", "O'Neal", "O'Neil", "O'Neall", "O'Donnell", "O'Leary", "O'Hara",
        "O'Malley", "O'Keefe", "O'Keeffe", "O'Rourke", "O'Reilly", "O'Sullivan", "O'Toole", "O'Shea", "O'Grady", "O'Bryan",
        "O'Hare", "O'Meara", "O'Mara", "O'Kelly", "O'Dwyer", "O'Day", "O'Dea", "O'Conner", "O'Bryant", "O'Farrell",
        "O'Flaherty", "O'Hagan", "O'Hanlon", "O'Kane", "O'Hern", "O'Doherty", "O'Donoghue", "O'Driscoll", "O'Gorman",
        "O'Callaghan", "O'Shaughnessy", "O'Boyle", "O'Dowd",
    )
)
# fmt: on
#: The tail file holds one surname in this many.
_TAIL_STEP: Final = 12


@dataclass(frozen=True, slots=True)
class EnglishName:
    """One person's name.

    Parameters
    ----------
    first
        Given name.
    middle_initial
        One capital letter, or empty.
    last
        Surname as written: ``McDonald``, ``O'Brien``, ``De La Cruz``, ``Hale-Young``.
    sex
        ``F`` or ``M``.
    """

    first: str
    middle_initial: str
    last: str
    sex: Sex

    @property
    def full(self) -> str:
        """``Marion Hale``."""
        return f"{self.first} {self.last}"

    @property
    def formal(self) -> str:
        """``Marion P. Hale``; without a middle initial the same as `full`."""
        return f"{self.first} {self.middle_initial}. {self.last}" if self.middle_initial else self.full

    @property
    def inverted(self) -> str:
        """``Hale, Marion P.``, as address books display it."""
        return f"{self.last}, {self.first}" + (f" {self.middle_initial}." if self.middle_initial else "")

    @property
    def initials(self) -> str:
        """``MPH``."""
        return f"{self.first[0]}{self.middle_initial}{self.last[0]}"

    @property
    def nicknames(self) -> tuple[str, ...]:
        """Short forms of the given name; empty where it has none."""
        return NICKNAMES.get(self.first, ())


@lru_cache(maxsize=1)
def _surnames() -> Weighted[str]:
    pairs = [(row["name"], int(row["count"])) for row in rows("census_surnames_head.csv")]
    for row in rows("census_surnames_tail.csv"):
        pairs += [(name, int(row["count"]) * _TAIL_STEP) for name in row["names"].split()]
    return Weighted((capitalise_surname(name), weight) for name, weight in pairs)


@lru_cache(maxsize=2)
def _first_names(sex: Sex) -> Weighted[str]:
    file = f"census_first_{'female' if sex == 'F' else 'male'}.csv"
    return Weighted((capitalise_first(row["name"]), int(row["per_100k"])) for row in rows(file))


@lru_cache(maxsize=1)
def surname_counts() -> dict[str, int]:
    """Bearers of each of the 5,000 most frequent surnames in the 2010 census, keyed by the usual spelling."""
    return {capitalise_surname(row["name"]): int(row["count"]) for row in rows("census_surnames_head.csv")}


def capitalise_surname(upper: str) -> str:
    """Usual spelling of a census surname: ``MCDONALD`` to ``McDonald``, ``OBRIEN`` to ``O'Brien``."""
    if upper in _WITH_SPACE:
        return _WITH_SPACE[upper]
    if upper in _INNER_CAPITAL:
        return _INNER_CAPITAL[upper]
    if upper in _IRISH:
        return f"O'{upper[1:].capitalize()}"
    if upper.startswith("MC") and len(upper) > 3:
        return f"Mc{upper[2:].capitalize()}"
    return upper.capitalize()


def capitalise_first(upper: str) -> str:
    """Usual spelling of a census given name (``MCKENZIE`` to ``McKenzie``, ``DEANDRE`` to ``DeAndre``)."""
    if upper.startswith("MC") and len(upper) > 3:
        return f"Mc{upper[2:].capitalize()}"
    if upper in {"DEANDRE", "DEANGELO", "DEMARCUS", "DESHAWN", "LADONNA", "LAKEISHA", "LASHAWN", "LATOYA", "JOANN", "JC"}:
        return {"JOANN": "JoAnn", "JC": "JC"}.get(upper, upper[:2].capitalize() + upper[2:].capitalize())
    return upper.capitalize()


def sample_first(rng: random.Random, sex: Sex) -> str:
    """Draw a given name of that sex in proportion to the 1990 census."""
    return _first_names(sex).draw(rng)


def sample_surname(rng: random.Random) -> str:
    """Draw a single surname in proportion to the 2010 census."""
    return _surnames().draw(rng)


def sample_person(rng: random.Random, sex: Sex | None = None) -> EnglishName:
    """Draw a person; the sex is even odds where none is given.

    Parameters
    ----------
    rng
        Advanced by a number of draws that depends on the outcome.
    sex
        ``F``, ``M`` or None.

    Returns
    -------
    EnglishName
        Given name and surname drawn independently in proportion to census counts; 85 % have a middle initial (that of a second
        given name), 2.5 % of women and 0.5 % of men a hyphenated double surname.
    """
    drawn: Sex = sex or ("F" if rng.random() < 0.5 else "M")
    first = sample_first(rng, drawn)
    middle = sample_first(rng, drawn)[0] if rng.random() < _MIDDLE_SHARE else ""
    last = sample_surname(rng)
    if rng.random() < _DOUBLE_SHARE[drawn]:
        other = sample_surname(rng)
        if other != last:
            last = f"{last}-{other}"
    return EnglishName(first, middle, last, drawn)
