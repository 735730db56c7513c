"""The build of a judgment of `demo-legal`: title, PROCEDURE, THE FACTS, THE LAW, FOR THESE REASONS."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from corpora.demo.legal_cases import Theme
from corpora.demo.legal_text import LegalWriter

_COURT: Final = "European Tribunal of Civil Liberties"
_COUNT: Final = ("", "one application", "two applications", "three applications")
_ORDER: Final = ("first", "second", "third")
_DOMESTIC_LAW: Final = (
    "Under Article {n:20-210} § {n:1-4} of the Criminal Code, a public official who abuses his powers may be sentenced to up to "
    "{n:2-8} years' imprisonment. A court may suspend the sentence.",
    "Section {n:3-40} of the Courts Act provides that a party may ask for a new judge where there is good reason to doubt that the case "
    "will be judged fairly.",
    "The State Liability Act of {y:back} grants damages to anyone who has suffered loss through an unlawful act of an authority. "
    "A claim must be lodged within {n:1-3} years; after that it will be barred.",
    "According to the settled case-law of the {court:supreme}, a long delay may be taken into account when fixing damages, but does not by itself "
    "justify them.",
)
_ADMISSIBLE: Final = (
    "The Court notes that the complaint is not manifestly ill-founded and not inadmissible on any other ground. It must therefore be "
    "declared admissible.",
    "{other} raised a plea of non-exhaustion. The Court finds that {app} was not required to try a remedy which [had no prospect of "
    "success|existed on paper only] (see {cite}), and dismisses the plea.",
)


class Judgment:
    """Composes one judgment with a writer."""

    def __init__(self, writer: LegalWriter, theme: Theme) -> None:
        self.writer, self.theme = writer, theme
        self.number = 0
        self.year = 0
        self.numbers: list[int] = []
        self.judges = ["judge-president", *(f"judge-{n}" for n in range(2, 2 if writer.national else 6))]
        self.role = "claimant" if writer.national else "applicant"

    def compose(self) -> None:
        """Write the whole judgment."""
        writer = self.writer
        writer.party("app")
        facts = self._facts_first()
        if writer.national:
            self._national_title()
        else:
            self._title()
        writer.text("PROCEDURE\n\n")
        (self._national_procedure if writer.national else self._procedure)()
        writer.pieces += facts
        self._law()
        self._reasons()

    # Paragraphs -------------------------------------------------------------------------------------------------------------

    def paragraph(self, template: str) -> None:
        """One numbered paragraph."""
        self.number += 1
        self.writer.text(f"{self.number}.  ")
        self.writer.text("")
        self.writer.say(template)
        self.writer.text("\n\n")

    def _plural(self) -> str:
        return f"the {self.role}s" if len(self.writer.applicants) > 1 else f"the {self.role}"
