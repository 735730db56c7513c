"""Ctrl-C that cannot get lost.

Python raises `KeyboardInterrupt` wherever the main thread happens to be. Inside a ``__del__`` of some library it is printed and
dropped, and an hour of work goes on as if nothing had been pressed. So the signal is also remembered, and every report of
progress asks for it.
"""

from __future__ import annotations

import signal
from types import FrameType

_pressed = False


def _handler(number: int, frame: FrameType | None) -> None:
    global _pressed
    _pressed = True
    signal.default_int_handler(number, frame)


def install() -> None:
    """Remember SIGINT from now on; the program's entry point calls this once, in the main thread."""
    signal.signal(signal.SIGINT, _handler)


def check() -> None:
    """Raise the `KeyboardInterrupt` that was pressed but got lost."""
    if _pressed:
        raise KeyboardInterrupt
