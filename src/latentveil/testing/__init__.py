"""The contract of each kind of plug-in, for authors to run on theirs: ``check_attack(MyAttack())``.

A check raises ``ContractBroken`` where a promise is broken. It needs no test framework; in a test, call it and be done.
"""

from latentveil.testing.attack import check_attack
from latentveil.testing.backend import check_backend
from latentveil.testing.contract import ContractBroken
from latentveil.testing.dataset import check_dataset
from latentveil.testing.detector import check_detector
from latentveil.testing.encoder import check_encoder
from latentveil.testing.head import check_head
from latentveil.testing.method import check_method
from latentveil.testing.network import check_network
from latentveil.testing.pixel_method import check_pixel_method

__all__ = [
    "ContractBroken",
    "check_attack",
    "check_backend",
    "check_dataset",
    "check_detector",
    "check_encoder",
    "check_head",
    "check_method",
    "check_network",
    "check_pixel_method",
]
