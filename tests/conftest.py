"""What all tests share: real data where it lies beside the checkout, and a small source that is built in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# The first call of a compiled kernel takes longer than any example's deadline; no test depends on time. Without a database
# nothing is written beside the code.
settings.register_profile("deidbench", deadline=None, database=None)
settings.load_profile("deidbench")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Callable[[str], Path]:
    """Path below the folder of real data, or a skip that says what is missing."""

    def find(relative: str) -> Path:
        path = SHARED / relative
        if not path.exists():
            pytest.skip(f"real data {relative!r} is not beside this checkout")
        return path

    return find


@pytest.fixture(autouse=True)
def _isolated_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's workspace, and none inherits a key."""
    monkeypatch.setenv("BENCH_HOME", str(tmp_path / "default-home"))
    for name in ("DEIDBENCH_KEY", "DEIDBENCH_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
