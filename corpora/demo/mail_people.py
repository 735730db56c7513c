"""The people of `demo-mail`: an invented energy company, its partners, and who talks about what.

A person follows from the seed and an index alone, except that login and address of a later person get a number where an
earlier one has them already. Low indices write most (`Cast.draw` is Zipf-like), and the cast grows with the square root of the
threads.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import isqrt
from typing import Final

from corpora.demo.mail_topics import LEXICON, TOPICS
from corpora.demo.names_en import FIRST_NAMES_THAT_ARE_WORDS, SURNAMES_THAT_ARE_WORDS, EnglishName, sample_person
from corpora.demo.seeding import stream


@dataclass(frozen=True, slots=True)
class Organisation:
    """A company: `names` are its surfaces, the formal one first."""

    key: str
    names: tuple[str, ...]
    domain: str
    code: str


def _organisation(formal: str, short: str, code: str, domain: str) -> Organisation:
    return Organisation(code.lower(), (formal, short, code), domain, code)


HOME: Final = _organisation("Calderwest Energy Corp.", "Calderwest", "CALDERWEST", "calderwest.com")
PARTNERS: Final[tuple[Organisation, ...]] = (
    _organisation("Brazos Ridge Pipeline Company", "Brazos Ridge", "BRPL", "brazosridge.com"),
    _organisation("Harlan & Pierce LLP", "Harlan Pierce", "H&P", "harlanpierce.com"),
    _organisation("Morgan Stone Capital", "Morgan Stone", "MSC", "morganstonecap.com"),
    _organisation("Tidewater Municipal Power Authority", "Tidewater", "TMPA", "tidewater-power.org"),
    _organisation("Ostrander Gas Marketing, L.P.", "Ostrander", "OGM", "ostrandergas.com"),
    _organisation("Pacific Lumen Electric", "PacLumen", "PLE", "paclumen.com"),
    _organisation("Nordhavn Commodities AS", "Nordhavn", "NHC", "nordhavn.no"),
    _organisation("Whitlock Hayes & Day", "Whitlock", "WHD", "whitlockhayes.com"),
    _organisation("Cascade Basin Storage", "Cascade Basin", "CBS Storage", "cascadebasin.com"),
    _organisation("Lone Mesa Cogeneration", "Lone Mesa", "LMC", "lonemesacogen.com"),
    _organisation("First Gulf National Bank", "First Gulf", "FGNB", "firstgulfbank.com"),
    _organisation("Prairie Interstate Transmission", "Prairie Interstate", "PIT", "prairieinterstate.com"),
    _organisation("Delmore Consulting Group", "Delmore", "DCG", "delmoregroup.com"),
    _organisation("Sable River Resources Ltd.", "Sable River", "SRR", "sableriver.ca"),
    _organisation("Quillon Data Systems", "Quillon", "QDS", "quillondata.com"),
    _organisation("Bayou State University", "Bayou State", "BSU", "bayoustate.edu"),
    _organisation("Keystone & Price Insurance", "Keystone Price", "KPI", "keystoneprice.com"),
    _organisation("Grand Prairie Gazette", "the Gazette", "GPG", "gpgazette.com"),
    _organisation("Halverson Turbine Services", "Halverson", "HTS", "halversonturbine.com"),
    _organisation("Union of Western Utilities", "Western Utilities", "UWU", "westernutilities.org"),
)


@dataclass(frozen=True, slots=True)
class Office:
    """A place of work."""

    city: str
    code: str
    area: str
    address: str


OFFICES: Final[tuple[Office, ...]] = (
    Office("Houston", "HOU", "713", "1400 Larkin Street, Suite 2100, Houston, TX 77002"),
    Office("Portland", "PDX", "503", "121 SW Alder Street, Portland, OR 97204"),
    Office("Calgary", "CAL", "403", "3500, 425 - 1st Street SW, Calgary, Alberta"),
    Office("Omaha", "OMA", "402", "1111 South 103rd St., Omaha, NE 68124"),
    Office("New York", "NYC", "212", "20 Mercer Pl., 14th Floor, New York, NY 10013"),
    Office("London", "LON", "20", "40 Grosvenor Row, London SW1X 7EN"),
    Office("Denver", "DEN", "303", "1200 17th Street, Denver, CO"),
    Office("St. Louis", "STL", "314", "88 Chouteau Ave, St. Louis, MO 63102"),
)

#: Job titles by topic; a person's first topic decides.
TITLES: Final[dict[str, tuple[str, ...]]] = {
    "gas": ("Director, Gas Trading", "Trader", "Manager, Gas Logistics", "Associate"),
    "power": ("Vice President, Power Origination", "Senior Trader", "Specialist, Power Scheduling", "Analyst"),
    "credit": ("Manager, Credit Risk", "Senior Credit Analyst", "Treasurer", "Accountant"),
    "contracts": ("Assistant General Counsel", "Senior Counsel", "Paralegal", "Contract Administrator"),
    "litigation": ("Senior Counsel", "Attorney", "Legal Assistant", "Partner"),
    "regulation": ("Director, Regulatory Affairs", "Economist", "Vice President, Government Affairs", "Policy Analyst"),
    "meetings": ("Executive Assistant", "Administrative Coordinator", "Sr. Administrative Assistant"),
    "travel": ("Executive Assistant", "Travel Coordinator", "Office Manager"),
    "systems": ("Systems Analyst", "Network Engineer", "Manager, Trading Systems", "Programmer"),
    "personnel": ("Recruiter", "Director, Human Resources", "HR Generalist", "Compensation Analyst"),
    "news": ("Research Librarian", "Manager, Public Relations", "Journalist", "Editor"),
    "family": ("Analyst", "Associate", "Trader"),
    "sport": ("Trader", "Analyst", "Manager"),
    "risk": ("Managing Director, Research", "Quantitative Analyst", "Vice President, Risk", "Meteorologist"),
}
#: Of a person's nouns the first eight belong to the two topics at work.
WORK_NOUNS: Final = 8
_WORK_TOPICS: Final = tuple(name for name in TOPICS if name not in {"family", "sport"})
_CLOSINGS: Final = (
    "Thanks",
    "Thanks,",
    "Thx",
    "Regards,",
    "Best regards,",
    "Cheers,",
    "Many thanks,",
    "Take care,",
    "Sincerely,",
    "",
)

_HABITS: Final = (
    "To be frank, it has been a zoo here.", "Just thinking out loud.", "As always, trust but verify.",
    "Not to beat a dead horse.", "It is what it is.", "Let's not boil the ocean.", "Keep your powder dry.",
    "This is hush-hush for the moment.", "We'll muddle through.", "Belt and braces, please.", "No news is good news.",
    "I am swamped, as you may have heard.", "Call me old-fashioned.", "On the bright side, nobody got hurt.",
    "Sorry for the short notice.", "Better late than never.", "Back to the salt mines.", "Please read this twice.",
    "It's a marathon, not a sprint.", "Happy to walk over.", "The devil is in the detail.",
    "Pardon my spelling, I am on the train.", "Let's take this offline.", "I would rather be fishing.", "Touch wood.",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Person:
    """One member of the cast.

    Parameters
    ----------
    key
        Entity id.
    name
        As in the address book.
    call
        What colleagues call them: a short form or the given name.
    employer, office, title
        Where and as what they work.
    login, address
        Login name and e-mail address, unique in the cast.
    phone
        Exchange and line, seven digits.
    topics
        Two or three favourites, the strongest first.
    nouns
        Their own choice of words per topic, four each: what they are busy with.
    habit
        A phrase that they like.
    partner
        The company they deal with most.
    project
        The project they are on.
    closing, lower, wraps, signs, client
        Habits: the closing line, writing without capitals, a mail client that wraps lines, a full signature, one of `CLIENTS`.
    """

    key: str
    name: EnglishName
    call: str
    employer: Organisation
    office: Office
    title: str
    login: str
    address: str
    phone: str
    topics: tuple[str, ...]
    nouns: tuple[str, ...]
    habit: str
    partner: Organisation
    project: str
    closing: str
    lower: bool
    wraps: bool
    signs: bool
    client: str

    @property
    def internal(self) -> bool:
        """Whether they work for the company whose mail this is."""
        return self.employer is HOME


#: Mail programs, which decide how headers, forwards and quotes look.
CLIENTS: Final = ("notes", "outlook", "outlook", "internet")
#: Code names of projects; OTHER in the gold.
PROJECTS: Final = (
    "Project Kestrel", "Project Longhorn", "Raptor", "Project Silver Fox", "Nighthawk", "Project Blue Heron", "Mariner",
    "Project Red Oak", "Condor", "Project Summit", "Project Pelican", "Timberline",
)  # fmt: skip


def _plain(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum() or char == "-")


class Cast:
    """Everyone who can write or be written to; grows as asked, and stays small (a few thousand at 60,000 messages)."""

    def __init__(self, seed: int, corpus: str) -> None:
        self.seed, self.corpus = seed, corpus
        self._people: list[Person] = []
        self._taken: set[str] = set()

    @staticmethod
    def size_at(thread: int) -> int:
        """People known by the time of a thread."""
        return 60 + 8 * isqrt(thread)

    def __getitem__(self, index: int) -> Person:
        while len(self._people) <= index:
            self._people.append(self._person(len(self._people)))
        return self._people[index]

    def draw(self, rng: random.Random, thread: int) -> Person:
        """Draw a person with probability about proportional to 1 / (index + 3): a few write most of the mail."""
        size, shift = self.size_at(thread), 3.0
        return self[min(int(shift * ((size + shift) / shift) ** rng.random() - shift), size - 1)]

    def draw_for(self, rng: random.Random, thread: int, topic: str, without: tuple[Person, ...]) -> Person:
        """Draw somebody else, by preference one who cares for the topic (up to six tries)."""
        person = self.draw(rng, thread)
        for _ in range(5):
            if topic in person.topics and person not in without:
                return person
            person = self.draw(rng, thread)
        while person in without:
            person = self[int(rng.random() * self.size_at(thread))]
        return person

    def outsider(self, rng: random.Random, key: str) -> Person:
        """Make somebody who appears in a single message only, from that message's own random stream."""
        return self._make(rng, key, internal=False, unique=False)

    def _person(self, index: int) -> Person:
        rng = stream(self.seed, self.corpus, "person", index)
        return self._make(rng, f"p{index:05d}", internal=index % 4 != 3, unique=True, index=index)

    def _name(self, rng: random.Random, index: int) -> EnglishName:
        """A census name; now and then one that is a word, or shared with somebody more active."""
        name = sample_person(rng)
        first, last = name.first, name.last
        if index % 12 == 6:
            last = SURNAMES_THAT_ARE_WORDS[int(rng.random() * len(SURNAMES_THAT_ARE_WORDS))]
        elif index % 20 == 11:
            first = FIRST_NAMES_THAT_ARE_WORDS[int(rng.random() * len(FIRST_NAMES_THAT_ARE_WORDS))]
        elif index % 17 == 9:
            last = self[index // 3].name.last
        elif index % 11 == 8:
            other = self[index // 4].name
            return EnglishName(other.first, name.middle_initial, last, other.sex)
        return EnglishName(first, name.middle_initial, last, name.sex)

    def _make(self, rng: random.Random, key: str, *, internal: bool, unique: bool, index: int = -1) -> Person:
        name = self._name(rng, index) if unique else sample_person(rng)
        nicknames = name.nicknames
        employer = HOME if internal else PARTNERS[int(rng.random() * len(PARTNERS))]
        office = OFFICES[int(rng.random() ** 2 * len(OFFICES))]
        favourites = rng.sample(_WORK_TOPICS, 2)
        if rng.random() < 0.5:
            favourites.append("family" if rng.random() < 0.6 else "sport")
        login = _plain(name.first[0] + name.last).replace("-", "")[:8]
        first, last, middle = _plain(name.first), _plain(name.last), name.middle_initial.lower()
        local = (f"{first}.{last}", f"{first}.{last}", f"{first}.{middle}.{last}" if middle else f"{first}.{last}", login)[
            int(rng.random() * 4)
        ]
        if unique:
            login, local = self._free(login, ""), self._free(local, "@" + employer.domain)
        line = (1000 + index * 37) % 10000 if unique else int(rng.random() * 10000)
        return Person(
            key=key,
            name=name,
            call=nicknames[int(rng.random() * len(nicknames))] if nicknames and rng.random() < 0.75 else name.first,
            employer=employer,
            office=office,
            title=TITLES[favourites[0]][int(rng.random() * len(TITLES[favourites[0]]))],
            login=login,
            address=f"{local}@{employer.domain}",
            phone=f"{555 + max(index, 0) // 10000}{line:04d}",
            topics=tuple(favourites),
            nouns=tuple(noun for topic in favourites for noun in rng.sample(LEXICON[topic], WORK_NOUNS // 2)),
            habit=_HABITS[int(rng.random() * len(_HABITS))],
            partner=PARTNERS[int(rng.random() * len(PARTNERS))],
            project=PROJECTS[int(rng.random() * len(PROJECTS))],
            closing=_CLOSINGS[int(rng.random() * len(_CLOSINGS))],
            lower=rng.random() < 0.1,
            wraps=rng.random() < 0.35,
            signs=rng.random() < 0.4,
            client=CLIENTS[int(rng.random() * len(CLIENTS))] if employer is HOME else "internet",
        )

    def _free(self, wanted: str, suffix: str) -> str:
        candidate, number = wanted, 2
        while candidate + suffix in self._taken:
            candidate, number = f"{wanted}{number}", number + 1
        self._taken.add(candidate + suffix)
        return candidate
