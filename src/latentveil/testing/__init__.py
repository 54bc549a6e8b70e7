"""The contract of each kind of plug-in, for authors to run on theirs: ``check_method("mypackage.mine:method")``.

A check raises ``ContractBroken`` where a promise is broken. It needs no test framework; in a test, call it and be done.
"""

from latentveil.testing.contract import ContractBroken
from latentveil.testing.head import check_head
from latentveil.testing.method import check_method
from latentveil.testing.network import check_network

__all__ = ["ContractBroken", "check_head", "check_method", "check_network"]
