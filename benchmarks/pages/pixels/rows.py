"""The rows of the page, and what is claimed of them in the papers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# Short trainings: the preset `tiny` with fewer epochs, so that the whole page is a matter of minutes.
QUICK = (
    "start.reconstruct_steps=40",
    "start.players_epochs=3",
    "train.epochs=5",
    "health.patience=99",  # f_T has seen few clips; the page shows what it can
)
SECRETS = ("gender", "skin", "upper", "scene")


@dataclass(frozen=True)
class Row:
    """A pixel method with its preset and changes of settings; no method: raw video, or the latent one."""

    name: str
    method: str | None = None
    preset: str | None = None
    settings: tuple[str, ...] = ()
    latent: bool = False

    @property
    def learned(self) -> bool:
        return self.preset == "tiny"


ROWS = (
    Row("raw"),
    Row("spact", "spact", "tiny", QUICK),
    Row("downsample 4x", "downsample", "4x"),
    Row("latent (splavu)", latent=True),
    Row("penalty", "penalty", "tiny", (*QUICK, "penalty.idle=tell")),
    Row("black people", "cover", None, ("look=black", "detector=boxes")),
    Row("blur", "blur", "strong"),
    Row("vita", "vita", "tiny", QUICK),
    Row("stprivacy", "stprivacy", "tiny", QUICK),
    Row("tedspad", "tedspad", "tiny", QUICK),
    Row("spact, f_B frozen", "spact", "tiny", (*QUICK, "budget.branch=frozen")),
    Row("spact, no f_B", "spact", "tiny", (*QUICK, "budget.branch=none")),
    Row("penalty, lambda 0", "penalty", "tiny", (*QUICK, "penalty.idle=tell", "penalty.weight=0")),
    Row("penalty, B 0.3", "penalty", "tiny", (*QUICK, "penalty.idle=tell", "penalty.bound=0.3")),
)


@dataclass(frozen=True)
class Claim:
    """``higher`` has more of ``what`` than ``lower``, as a paper says in ``source``."""

    words: str
    what: Literal["action", "leakage"]
    higher: str
    lower: str
    source: str


CLAIMS = (
    Claim(
        "SPAct keeps more action than downsampling 4x", "action", "spact", "downsample 4x", "SPAct, Table 1"
    ),
    Claim("SPAct keeps more action than blackening", "action", "spact", "black people", "SPAct, Table 1"),
    Claim("SPAct leaks less than raw video", "leakage", "raw", "spact", "SPAct, Table 1"),
    Claim("a frozen f_B removes less", "leakage", "spact, f_B frozen", "spact", "SPAct, Table 3"),
    Claim("without f_B nothing is removed", "leakage", "spact, no f_B", "spact", "SPAct, Table 3"),
    Claim(
        "the penalty keeps more action than SPAct", "action", "penalty", "spact", "penalty-driven, Table 1"
    ),
    Claim(
        "lambda 1 keeps more action than 0",
        "action",
        "penalty",
        "penalty, lambda 0",
        "penalty-driven, Table 3",
    ),
    Claim("a larger B keeps less action", "action", "penalty", "penalty, B 0.3", "penalty-driven, Table 1"),
    Claim("VITA leaks less than raw video", "leakage", "raw", "vita", "SPAct, Table 1"),
    Claim(
        "the latent method keeps more action than SPAct",
        "action",
        "latent (splavu)",
        "spact",
        "SPLAVU, Table 1",
    ),
)
