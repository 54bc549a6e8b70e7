"""Whether a tuning is there already: of the same features, labels and options, in the folder that it would write to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from latentveil.adapters.adapter import load_adapter
from latentveil.adapters.saved import CONFIG_FILE, require_free
from latentveil.attacks.base import Attack
from latentveil.auditing.finished import named_with_code
from latentveil.files.json_files import read_json
from latentveil.files.outputs import require_own_results
from latentveil.files.place_files import SAVING
from latentveil.files.requests import Request
from latentveil.methods.plan import FitPlan
from latentveil.notices import notify
from latentveil.tuning.result import Tuning

ADAPTER, RESULT, PAGE = "adapter", "tune.json", "tune.md"
RESULT_KEYS = {"method", "trials", "chosen"}


def tuning_request(plan: FitPlan, attacks: Sequence[Attack], **options: Any) -> Request:
    """All that a tuning depends on, in words that people can compare; ``options`` are plain values."""
    return Request("a tuning", RESULT, {**plan.identity(), **named_with_code(attacks)} | options)


def require_own_folder(folder: Path) -> None:
    """Refuse a folder that holds files of others under the names of a tuning's."""
    require_own_results(folder, RESULT, keys=RESULT_KEYS, others=(PAGE,), what="a tuning")


def tuned_before(request: Request, folder: Path) -> Tuning | None:
    """What this very tuning found in ``folder`` before; None where it is not done yet, and another one is refused."""
    adapter = folder / ADAPTER
    if not request.is_done(folder):
        require_free(adapter)
        return None
    if not (adapter / CONFIG_FILE).is_file() or (adapter / SAVING).exists():
        return None  # stopped at the adapter, which is made last
    notify(f"{folder} holds this very tuning already: nothing is tried again.")
    found = Tuning.from_dict(read_json(folder / RESULT, what="a tuning"))
    return replace(found, adapter=load_adapter(adapter))
