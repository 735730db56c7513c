"""One line that says why a document failed, and never quotes it."""

from __future__ import annotations

import regex

#: Longest reason that is stored.
LIMIT = 200
_QUOTED = regex.compile(r"(?<!\w)'[^']*'(?!\w)|\"[^\"]*\"|«[^»]*»|`[^`]*`")
_WORD = regex.compile(r"[\p{L}\p{M}\p{Nd}]+")
#: Words of error messages that tell nothing about a document even where it contains them.
_PLAIN = frozenset(
    _WORD.findall(
        "able allocate allowed and argument array bytes can cannot character characters codec could decode depth dimension "
        "encode error exceeded expected failed for found from got has have index input int integer invalid is length limit list "
        "long maximum memory must not object offset offsets out position range recursion shape size span str string surrogates "
        "text than that the this token tokens too type unable utf value was with"
    )
)


def reason(error: BaseException, text: str) -> str:
    """``ExceptionType: message`` for a stored status: first line, at most `LIMIT` characters, without words of `text`.

    Libraries quote their input in errors, and a reason is written to disk: left out are quoted parts of the message, words
    with letters outside ASCII, and words of three characters or more that stand anywhere in the document.
    """
    lines = str(error).splitlines()
    message = _QUOTED.sub("…", lines[0]) if lines else ""
    lowered = text.casefold() if message else ""

    def hidden(match: regex.Match[str]) -> str:
        word = match.group().casefold()
        told = not word.isascii() or (len(word) >= 3 and word not in _PLAIN and word in lowered)
        return "…" if told else match.group()

    line = f"{type(error).__name__}: {_WORD.sub(hidden, message)}" if message else type(error).__name__
    line = line.encode("utf-8", "backslashreplace").decode("utf-8")
    return line if len(line) <= LIMIT else line[: LIMIT - 1] + "…"
