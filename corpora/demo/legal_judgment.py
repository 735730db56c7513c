"""The build of a judgment of `demo-legal`: title, PROCEDURE, THE FACTS, THE LAW, FOR THESE REASONS."""

from __future__ import annotations

from typing import Final

from corpora.demo.legal_cases import Theme
from corpora.demo.legal_text import LegalWriter

_COURT: Final = "European Tribunal of Civil Liberties"
#: Who is sued before a national court, by theme: an organisation of that kind, or a person in that role.
_DEFENDANTS: Final = {
    "property": "municipality", "family": "partner", "eviction": "company", "dismissal": "company", "negligence": "hospital",
}  # fmt: skip
_COUNT: Final = ("no", "one", "two", "three")
_WORDS: Final = ("", "an application", "two applications", "three applications")
_DOMESTIC_LAW: Final = (
    "Under Article {n:20-210} § {n:1-4} of the Criminal Code, a public official who abuses his powers may be sentenced to up to "
    "{n:2-8} years' imprisonment. A court may suspend the sentence.",
    "Section {n:3-40} of the Courts Act provides that a party may ask for a new judge where there is good reason to doubt that "
    "the case will be judged fairly.",
    "The State Liability Act of {y:back} grants damages to anyone who has suffered loss through an unlawful act of an authority. "
    "A claim must be lodged within {n:1-3} years; after that it will be barred.",
    "According to the settled case-law of {court:supreme}, a long delay may be taken into account when fixing damages, but does "
    "not by itself justify them.",
    "The Rules of Procedure allow a party to inspect the file and to mark any page of which a copy is wanted. A fee of {qs} may "
    "be charged.",
    "Article {n:40-90} of the Constitution protects the home, the family and good name of every person.",
)
_ADMISSIBLE: Final = (
    "The Court notes that the complaint is not manifestly ill-founded and not inadmissible on any other ground. It must "
    "therefore be declared admissible.",
    "{other} raised a plea of non-exhaustion. The Court finds that {app} was not required to try a remedy which [had no prospect "
    "of success|existed on paper only] (see {cite}), and dismisses the plea.",
    "{other} pleaded that the complaint had been lodged too late. The Court does not agree: time began to run on {d:back} at the "
    "earliest.",
    "{other} doubted that {app} was still a victim, having received {qs} at home. The Court finds that such a sum cannot be "
    "called redress (see {cite}).",
)


class Judgment:
    """Composes one judgment with a writer."""

    def __init__(self, writer: LegalWriter, theme: Theme) -> None:
        self.writer, self.theme = writer, theme
        self.number = 0
        self.role = "claimant" if writer.national else "applicant"
        self.many = len(writer.applicants) > 1
        self.bench = [f"judge-bench{n}" for n in range(1 if writer.national else 5)]
        self.violated = not writer.chance(0.15)

    def compose(self) -> None:
        """Write the whole judgment; the facts are composed first, because the procedure is later in time."""
        writer = self.writer
        writer.party("app")
        self.number = 3 if writer.national else 4
        self._facts()
        facts, last, writer.pieces = writer.pieces, self.number, []
        self.number, writer.facts_end = 0, writer.clock
        self.applied, self.communicated, self.adopted = writer.later(170), writer.later(900), writer.later(700)
        separate = self.many and writer.chance(0.5)
        self.files = [(writer.between(101, 68_999), self.applied.year) for _ in range(len(writer.applicants) if separate else 1)]
        (self._national_opening if writer.national else self._opening)()
        writer.pieces += facts
        self.number = last
        self._law()
        self._reasons()

    # Building blocks --------------------------------------------------------------------------------------------------------

    def paragraph(self, template: str) -> None:
        """One numbered paragraph."""
        self.number += 1
        self.writer.text(f"{self.number}.  ")
        self.writer.say(template)
        self.writer.text("\n\n")

    def _role(self) -> str:
        return f"the {self.role}{'s' if self.many else ''}"

    def _file_numbers(self) -> None:
        writer = self.writer
        writer.text("nos. " if len(self.files) > 1 else writer.pick(("no. ", "no. ", "no. ", "No ")))
        for at, (number, year) in enumerate(self.files):
            if at:
                writer.text(" and " if at == len(self.files) - 1 else ", ")
            writer.gold(writer.application(number, year), "ID", f"file-{number}-{year % 100:02d}", "DIRECT")

    def _applicants(self) -> None:
        writer = self.writer
        for at, key in enumerate(writer.applicants):
            if at:
                writer.text(" and " if at == len(writer.applicants) - 1 else ", ")
            writer.text(f"{writer.party(key).title} ")
            writer.name(key, writer.party(key).full)

    def _state(self, *, capitals: bool = False) -> None:
        self.writer.state(self.writer.country, "state", "NO_MASK", capitals=capitals)

    def _defendant(self) -> None:
        kind = _DEFENDANTS[self.theme.name]
        if kind == "municipality":
            self.writer.gold(f"Municipality of {self.writer.place('event')}", "ORGANISATION", "org-municipality")
        elif kind == "partner":
            self.writer.name("partner", self.writer.party("partner").full)
        else:
            self.writer.slot_org(kind)

    # Openings ---------------------------------------------------------------------------------------------------------------

    def _opening(self) -> None:
        writer = self.writer
        section = writer.pick(("FIRST", "SECOND", "THIRD", "FOURTH"))
        writer.text(f"{section} SECTION\n\nCASE OF ")
        surname = writer.party("app").last
        writer.gold(surname.upper(), "PERSON", "app", "DIRECT")
        writer.text(" AND OTHERS v. " if self.many else " v. ")
        self._state(capitals=True)
        writer.text("\n\n(Application" + ("s " if len(self.files) > 1 else " "))
        self._file_numbers()
        writer.text(")\n\nJUDGMENT\n\n")
        writer.on(self.adopted)
        writer.text("\n\nIn the case of ")
        writer.gold(surname, "PERSON", "app", "DIRECT")
        writer.text(" and Others v. " if self.many else " v. ")
        self._state()
        writer.text(",\n\nThe ")
        writer.gold(_COURT, "ORGANISATION", "court-itself", "NO_MASK")
        writer.text(f" ({section.capitalize()} Section), sitting as a Chamber composed of:\n\n")
        for at, key in enumerate(self.bench):
            writer.text("\t")
            writer.name(key, writer.party(key).full)
            writer.text(", President,\n" if at == 0 else ",\n" if at < len(self.bench) - 1 else ", judges,\n")
        writer.text("and ")
        writer.name("registrar", writer.party("registrar").full)
        writer.text(", Section Registrar,\n\nHaving deliberated in private on ")
        writer.on(self.adopted)
        writer.text(",\n\nDelivers the following judgment, which was adopted on that date:\n\nPROCEDURE\n\n")
        self.number += 1
        writer.text(f"{self.number}.  The case originated in {_WORDS[len(self.files)]} (")
        self._file_numbers()
        writer.text(") against ")
        self._state()
        writer.text(" lodged with the Tribunal by ")
        article = "an " if writer.origin.adjective[0] in "AIU" else "a "
        writer.text(f"{_COUNT[len(writer.applicants)]} " if self.many else article)
        writer.origin_adjective()
        writer.text(" nationals, " if self.many else " national, ")
        self._applicants()
        writer.text(f" (“{self._role()}”), on ")
        writer.on(self.applied)
        writer.text(".\n\n")
        self.number += 1
        writer.text(f"{self.number}.  ")
        writer.phrase(self._role())
        writer.text(", who had been granted legal aid," if writer.chance(0.2) else "")
        writer.text(" were represented by " if self.many else " was represented by ")
        writer.formal("lawyer")
        writer.text(", a lawyer practising in ")
        writer.slot_city("lawyer")
        writer.text(". The ")
        writer.gold(f"{writer.country.adjective} Government", "ORGANISATION", "government", "NO_MASK")
        writer.text(" (“the Government”) were represented by their Agent, ")
        writer.formal("agent")
        writer.text(writer.pick((".", ", of the Ministry of Foreign Affairs.", ", Deputy Minister of Justice.")) + "\n\n")
        self.number += 1
        writer.text(f"{self.number}.  ")
        writer.slot_app("")
        writer.text(" alleged that ")
        writer.say(self.theme.complaint)
        writer.text(".\n\n")
        self.number += 1
        writer.text(f"{self.number}.  On ")
        writer.on(self.communicated)
        writer.text(
            " the President of the Section decided to give notice of the application to the Government. "
            + writer.pick(
                (
                    "It was also decided to rule on the admissibility and merits at the same time.",
                    "The parties replied in writing.",
                )
            )
            + "\n\n"
        )

    def _national_opening(self) -> None:
        writer = self.writer
        writer.text("SUPREME COURT OF ")
        self._state(capitals=True)
        writer.text("\n\nAppeal ")
        self._file_numbers()
        writer.text("\n\nBefore: Judge ")
        writer.name(self.bench[0], writer.party(self.bench[0]).full)
        writer.text("\n\nBETWEEN\n\n")
        for key in writer.applicants:
            writer.name(key, writer.party(key).full)
            writer.text("\n")
        writer.text("Claimant" + ("s" if self.many else "") + "\n\n- and -\n\n")
        self._defendant()
        writer.text("\nDefendant\n\nJUDGMENT\nhanded down on ")
        writer.on(self.adopted)
        writer.text("\n\nPROCEDURE\n\n")
        self.number += 1
        writer.text(f"{self.number}.  This is an appeal on points of law by ")
        self._applicants()
        writer.text(f" (“{self._role()}”) against ")
        self._defendant()
        writer.text(" (“the defendant”). It was lodged on ")
        writer.on(self.applied)
        writer.text(".\n\n")
        self.number += 1
        writer.text(f"{self.number}.  ")
        writer.phrase(f"{self._role()} appeared by ")
        writer.formal("lawyer")
        writer.text(", of ")
        writer.slot_city("lawyer")
        writer.text(", and the defendant by ")
        writer.formal("counsel")
        writer.text(". The hearing was held on ")
        writer.on(self.communicated)
        writer.text(".\n\n")
        self.number += 1
        writer.text(f"{self.number}.  ")
        writer.slot_app("")
        writer.text(" submitted that ")
        writer.say(self.theme.complaint)
        writer.text(f", contrary to {self.theme.act}.\n\n")

    # Body -------------------------------------------------------------------------------------------------------------------

    def _facts(self) -> None:
        writer = self.writer
        writer.text("THE FACTS\n\nI.  THE CIRCUMSTANCES OF THE CASE\n\n")
        born = writer.born
        self.number += 1
        writer.text(f"{self.number}.  ")
        writer.slot_app("")
        writer.text(" was born in ")
        writer.gold(str(born), "DATE", f"year-{born}")
        writer.text(" and lives in ")
        writer.slot_city("home")
        writer.say("[. {app?He:She} is {prof}.|.|, where {app?he:she} works as {prof}.|. {app?He:She} is of {group} origin.]")
        if self.many:
            writer.text(" The second " + self.role + ", ")
            writer.titled("app2")
            writer.say(", is {app?his:her} {app2?husband:wife}.")
        if len(writer.applicants) > 2:
            writer.text(" The third " + self.role + ", ")
            writer.titled("app3")
            writer.say(", who was {age:app3} when the case was brought, is their {app3?son:daughter}.")
        writer.text("\n\n")
        for template in self.theme.facts:
            self.paragraph(template)
        writer.text("II.  RELEVANT DOMESTIC LAW\n\n")
        for template in writer.rng.sample(_DOMESTIC_LAW, 1 + int(writer.rng.random() * 2)):
            self.paragraph(template)

    def _law(self) -> None:
        writer, theme = self.writer, self.theme
        provision = theme.act if writer.national else f"{theme.article} of the Convention"
        writer.text("THE LAW\n\nI.  ALLEGED " + ("BREACH" if writer.national else "VIOLATION") + f" OF {provision.upper()}\n\n")
        self.number += 1
        writer.text(f"{self.number}.  ")
        writer.phrase(f"{self._role()} relied on {provision}. ")
        writer.slot_other("")
        writer.text(writer.pick((" contested that argument.", " disagreed.", " left the matter to the Court.")) + "\n\n")
        writer.text("A.  Admissibility\n\n")
        self.paragraph(writer.pick(_ADMISSIBLE))
        writer.text("B.  Merits\n\n")
        for template in theme.law:
            self.paragraph(template)
        self.number += 1
        writer.text(
            f"{self.number}.  For these reasons (see paragraph {self.number - 2} above), the Court concludes that there has been "
        )
        writer.text(("a " if self.violated else "no ") + ("breach" if writer.national else "violation") + f" of {provision}.\n\n")
        if self.violated:
            self._satisfaction()

    def _satisfaction(self) -> None:
        writer = self.writer
        self.currency = writer.country.currency if writer.national else "EUR" if self.adopted.year > 1998 else "FRF"
        scale = writer.scale if writer.national else 1
        self.damage, self.costs = writer.amount(800, 24_000) * scale, writer.amount(300, 6_000) * scale
        writer.text("II.  DAMAGES AND COSTS\n\n" if writer.national else "II.  APPLICATION OF ARTICLE 41 OF THE CONVENTION\n\n")
        self.number += 1
        writer.text(f"{self.number}.  ")
        writer.phrase(f"{self._role()} claimed ")
        writer.money(writer.amount(self.damage * 2, self.damage * 30), self.currency)
        writer.text(" in respect of damage. ")
        writer.slot_other("")
        writer.text(
            writer.pick((" found the claim excessive.", " thought the price too high.", " did not comment."))
            + " The Court awards "
        )
        writer.titled("app")
        writer.text(" ")
        writer.money(self.damage, self.currency)
        writer.text(" under this head.\n\n")
        self.number += 1
        writer.text(f"{self.number}.  ")
        writer.phrase(f"{self._role()} also claimed ")
        writer.money(writer.amount(self.costs * 3 // 2, self.costs * 6), self.currency)
        writer.text(f" for {writer.between(12, 90)} hours of work by ")
        writer.titled("lawyer")
        writer.text(". Having regard to the bill and to its case-law, the Court considers it reasonable to grant ")
        writer.money(self.costs, self.currency)
        writer.text(".\n\n")

    def _reasons(self) -> None:
        writer = self.writer
        votes = writer.pick(("UNANIMOUSLY", "UNANIMOUSLY", "BY FOUR VOTES TO ONE")) if not writer.national else ""
        writer.text(f"FOR THESE REASONS, THE COURT{' ' if votes else ''}{votes}\n\n")
        provision = self.theme.act if writer.national else f"{self.theme.article} of the Convention"
        writer.text(
            "1.  Declares the "
            + ("appeal" if writer.national else "application")
            + " admissible;\n\n2.  Holds that there has been "
        )
        writer.text(("a " if self.violated else "no ") + ("breach" if writer.national else "violation") + f" of {provision}")
        if self.violated:
            writer.text(";\n\n3.  Holds that " + ("the defendant" if writer.national else "the respondent State") + " is to pay ")
            if writer.chance(0.4):
                writer.titled("app")
            else:
                writer.text(self._role())
            writer.text(", within three months, ")
            writer.money(self.damage, self.currency)
            writer.text(" in respect of damage and ")
            writer.money(self.costs, self.currency)
            writer.text(" in respect of costs, plus any tax that may be chargeable")
        writer.text(".\n\n")
        if writer.national:
            writer.text("Judge ")
            writer.name(self.bench[0], writer.party(self.bench[0]).last)
            writer.text("\n")
            return
        writer.text("Done in English, and notified in writing on ")
        writer.on(writer.later(20))
        writer.text(", pursuant to Rule 77 §§ 2 and 3.\n\n")
        writer.name("registrar", writer.party("registrar").full)
        writer.text("\t")
        writer.name(self.bench[0], writer.party(self.bench[0]).full)
        writer.text("\nRegistrar\tPresident\n")
        if votes.startswith("BY"):
            judge = writer.pick(self.bench[1:])
            writer.text("\nThe dissenting opinion of Judge ")
            writer.name(judge, writer.party(judge).last)
            writer.text(" is annexed to this judgment.\n")
