"""An address where no cluster answers is refused at once; no Ray is started here."""

import socket
import time

import pytest

from latentveil.errors import InputError
from latentveil.machine.engines import find_engine

ray = pytest.importorskip("ray", reason="ray is not installed: pip install latentveil[ray]")


@pytest.fixture
def asked(monkeypatch):
    """The addresses that Ray itself is asked to connect to, which it never does."""
    addresses = []

    def connect(address, **_):
        addresses.append(address)
        raise ConnectionError("nobody")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", connect)
    monkeypatch.setattr(ray, "shutdown", lambda: None)
    return addresses


def connect_to(address):
    list(find_engine("ray", address=address).map(lambda: str, ["task"]))


@pytest.fixture
def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@pytest.mark.parametrize("form", ["127.0.0.1:{}", "ray://127.0.0.1:{}", "ray://user@127.0.0.1:{}/x"])
def test_a_port_where_nobody_listens_is_refused_before_ray_tries(asked, closed_port, form):
    started = time.monotonic()
    with pytest.raises(InputError, match=r"address must be that of a Ray cluster, got .*Connection refused"):
        connect_to(form.format(closed_port))
    assert time.monotonic() - started < 30
    assert asked == []


@pytest.mark.parametrize("address", ["127.0.0.1:nine", "127.0.0.1:99999", "[127.0.0.1:6379"])
def test_what_is_no_port_is_refused(asked, address):
    with pytest.raises(InputError, match="address must be that of a Ray cluster"):
        connect_to(address)
    assert asked == []


def test_an_open_port_and_addresses_without_one_are_left_to_ray(asked):
    with socket.create_server(("127.0.0.1", 0)) as server:
        addresses = ["auto", "local", f"127.0.0.1:{server.getsockname()[1]}"]
        for address in addresses:
            with pytest.raises(InputError, match="nobody"):
                connect_to(address)
    assert asked == addresses
