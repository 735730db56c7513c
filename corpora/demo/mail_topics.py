"""What the people of `demo-mail` write about: topics with their category, subject lines, sentences and vocabulary.

Slots (each written with its gold by `corpora.demo.mail_text.MailWriter`): ``p`` a third person, ``pf`` the same in full, ``x`` an
outsider, ``pl`` an outsider by surname, ``r`` the recipient, ``kin`` a relative of the author, ``n`` a noun of the author's,
``an`` the same with its article, ``pn`` a noun of the third person's, ``o`` a partner company, ``po`` the third person's, ``us``
the own company, ``role`` a role mention (no gold), ``city``, ``room``, ``addr``, ``d`` date, ``wd`` weekday, ``t`` time, ``q``
money, ``rate`` price, ``vol`` volume, ``pct``, ``id`` deal, ``conf`` booking, ``pj`` project, ``tel``, ``mail``, ``age``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from corpora.demo.mail_sentences import SENTENCES


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic: its category in the metadata, subject templates, sentence templates."""

    category: str
    subjects: tuple[str, ...]
    sentences: tuple[str, ...]


# fmt: off
#: Singular noun phrases that follow "the".
LEXICON: Final[Mapping[str, tuple[str, ...]]] = {
    "gas": (
        "basis spread", "storage injection plan", "nomination sheet", "imbalance report", "interconnect meter",
        "Henry curve", "firm transport package", "fuel retention rate", "citygate volume", "park-and-loan deal",
        "pipeline outage notice", "index price survey", "baseload schedule", "swing contract", "pooling agreement",
        "capacity release", "heating demand outlook",
    ),
    "power": (
        "peak forward book", "unit outage schedule", "heat rate option", "transmission tag", "ancillary bid",
        "day-ahead schedule", "tolling agreement", "congestion hedge", "capacity auction", "hydro forecast", "load shape",
        "turbine overhaul", "wheeling charge", "spinning reserve", "real-time desk log", "interchange curtailment",
        "green credit position",
    ),
    "credit": (
        "collateral call", "exposure limit", "parent guaranty", "letter of credit", "margin statement", "default table",
        "netting schedule", "receivable ageing", "rating review", "wire instruction", "month-end accrual",
        "reserve estimate", "settlement invoice", "cash forecast", "quarterly true-up", "hedge memo",
        "intercompany balance",
    ),
    "contracts": (
        "master agreement", "confirmation template", "credit annex", "assignment clause", "redline", "termination notice",
        "indemnity language", "execution copy", "side letter", "amendment", "novation form", "force majeure clause",
        "consent request", "signature page", "exhibit list", "non-disclosure agreement", "closing binder",
    ),
    "litigation": (
        "deposition outline", "motion to compel", "privilege log", "expert report", "document hold", "settlement offer",
        "docket sheet", "complaint", "discovery response", "arbitration demand", "witness list", "hearing transcript",
        "protective order", "damages model", "mediation brief", "subpoena", "engagement letter",
    ),
    "regulation": (
        "rehearing petition", "tariff filing", "price cap order", "rate case", "market-power study",
        "technical conference", "comment deadline", "undercollection charge", "siting rule", "refund methodology",
        "stakeholder meeting", "legislative summary", "load-serving rule", "emissions docket", "compliance plan",
        "advisory letter", "direct access ruling",
    ),
    "meetings": (
        "agenda", "conference bridge", "offsite", "staff meeting", "slide deck", "calendar invite", "head-count list",
        "projector", "lunch order", "sign-up sheet", "video link", "minutes", "seating chart", "handout",
        "dial-in number", "catering quote", "follow-up call",
    ),
    "travel": (
        "itinerary", "rental car", "hotel block", "expense report", "visa form", "boarding pass", "shuttle",
        "upgrade request", "per diem", "red-eye", "layover", "corporate rate", "passport renewal", "room key",
        "mileage claim", "e-ticket", "taxi receipt",
    ),
    "systems": (
        "database refresh", "server migration", "password reset", "valuation batch", "curve loader", "help desk ticket",
        "user access form", "patch window", "deal-capture screen", "printer queue", "interface spec", "backup tape",
        "test environment", "feed handler", "market data licence", "spreadsheet add-in", "nightly job",
    ),
    "personnel": (
        "offer letter", "résumé", "interview schedule", "performance review", "bonus pool", "analyst rotation",
        "job posting", "relocation package", "promotion list", "exit interview", "training class", "vacation balance",
        "head count", "campus visit", "feedback form", "org chart", "benefits enrolment",
    ),
    "news": (
        "press release", "front page story", "wire report", "editorial", "analyst call", "morning summary",
        "earnings headline", "talking points memo", "television segment", "clipping service", "quote request",
        "op-ed draft", "rumour", "market colour note", "photo shoot", "media list", "background briefing",
    ),
    "family": (
        "school play", "soccer game", "birthday party", "lake house", "baby shower", "kitchen remodel", "piano recital",
        "wedding list", "grocery run", "puppy", "garden fence", "beach trip", "report card", "family reunion",
        "babysitter", "barbecue", "doctor visit",
    ),
    "sport": (
        "fantasy draft", "playoff ticket", "golf outing", "softball game", "point spread", "office pool", "marathon",
        "tailgate", "bowl game", "tee time", "quarterback", "bracket", "fishing trip", "poker night", "hunting lease",
        "season pass", "rematch",
    ),
    "risk": (
        "value-at-risk number", "volatility surface", "correlation matrix", "stress scenario", "weather model",
        "option pricer", "scenario grid", "back-test", "limit breach", "position report", "Monte Carlo run",
        "forward curve", "liquidity haircut", "hedge ratio", "load simulation", "factor model", "degree-day forecast",
    ),
}

_CATEGORY: Final[Mapping[str, str]] = {
    "gas": "business", "power": "business", "credit": "finance", "contracts": "legal", "litigation": "legal",
    "regulation": "regulatory", "meetings": "logistics", "travel": "logistics", "systems": "technology", "personnel": "personnel",
    "news": "news", "family": "personal", "sport": "personal", "risk": "finance",
}

_SUBJECTS: Final[Mapping[str, tuple[str, ...]]] = {
    "gas": ("{o} {n}", "{n} for {d}", "Deal {id}", "{city} volumes", "{wd} gas", "{n}"),
    "power": ("{n} - {o}", "{city} outage", "{pj} - {n}", "Deal # {id}", "{n}", "Schedules for {wd}"),
    "credit": ("{o} exposure", "{n}", "{o} and the {n}", "{q} wire", "Month end", "{po} guaranty"),
    "contracts": ("{o} {n}", "{po} - comments", "{n}", "{o} / {us} {n}", "Draft {n}", "Contract {id}"),
    "litigation": ("{o} v. {us}", "PRIVILEGED - {n}", "{x} deposition", "{n}", "Attorney-client communication: {n}"),
    "regulation": ("{n}", "{city} {n}", "Comments due {d}", "{o} filing", "Call with {o}"),
    "meetings": ("{n} {wd}", "Staff meeting {d}", "Meeting with {pf}", "{n}", "{room} {t}", "Reschedule"),
    "travel": ("{city} trip", "Itinerary - {city} {d}", "{pf} travel", "{n}", "Conf. {conf}"),
    "systems": ("{n}", "Outage {wd} night", "{p} - access", "Ticket {id}", "{n} for {p}"),
    "personnel": ("{x}", "{x} - {n}", "{n}", "Candidates for {city}", "Interview {wd}", "{pf}"),
    "news": ("{o} in the news", "{n}", "Morning clips {d}", "{us} story", "{x} called"),
    "family": ("{n}", "{wd} night", "Hello", "{kin}", "pictures from the {n}", "hey"),
    "sport": ("{n}", "the {n}", "{wd} {n}", "tickets", "game"),
    "risk": ("{n}", "{n} {d}", "{o} {n}", "{pj} {n}", "Question on the {n}"),
}
# fmt: on

TOPICS: Final[Mapping[str, Topic]] = {name: Topic(_CATEGORY[name], _SUBJECTS[name], SENTENCES[name]) for name in LEXICON}
CATEGORIES: Final[tuple[str, ...]] = tuple(sorted(set(_CATEGORY.values())))
