"""A real S3 server on this machine, for as long as the tests need it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

START_SECONDS = 60
BUCKET = "veil"
# Catalogues of tables, each at a port of its own that is the same for every server: two would stop each other.
NO_CATALOGUES = ["-s3.port.iceberg=0", "-s3.port.lance=0"]
PORTS = [f"-{part}.port{kind}" for part in ("master", "volume", "filer", "s3") for kind in ("", ".grpc")]


def find_server() -> str | None:
    """SeaweedFS's program, beside this Python or on the path."""
    beside = Path(sys.executable).parent / "weed"
    return str(beside) if beside.exists() else shutil.which("weed")


def free_ports(number: int) -> list[int]:
    sockets = [socket.socket() for _ in range(number)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@contextmanager
def s3_server(program: str, folder: Path) -> Iterator[dict[str, str]]:
    """The environment in which `s3://veil` is a bucket of the server."""
    ports = free_ports(len(PORTS))
    options = [f"{name}={port}" for name, port in zip(PORTS, ports)]
    command = [
        program,
        "server",
        f"-dir={folder}",
        "-ip=127.0.0.1",
        "-s3",
        "-s3.iam=false",
        *NO_CATALOGUES,
        *options,
    ]
    with open(folder / "log.txt", "w") as log:
        process = subprocess.Popen(
            [*command, "-master.telemetry=false", "-volume.max=5"], stdout=log, stderr=subprocess.STDOUT
        )
    address = f"http://127.0.0.1:{ports[PORTS.index('-s3.port')]}"
    try:
        _wait_for(address, process)
        environment = {
            "AWS_ENDPOINT_URL": address,
            "AWS_ACCESS_KEY_ID": "any",
            "AWS_SECRET_ACCESS_KEY": "any",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        _make_bucket(environment)
        yield environment
    finally:
        process.kill()
        process.wait()


def _wait_for(address: str, process: subprocess.Popen) -> None:
    give_up = time.monotonic() + START_SECONDS
    while time.monotonic() < give_up and process.poll() is None:
        try:
            with urlopen(address, timeout=5):
                return
        except HTTPError as error:  # an answer, too
            error.close()
            return
        except (URLError, OSError):
            time.sleep(0.1)
    raise TimeoutError(f"the S3 server at {address} must answer, got nothing")


def _make_bucket(environment: dict[str, str]) -> None:
    """The server may answer some seconds before it can store anything."""
    code = (
        "import time, boto3\n"
        "client = boto3.client('s3')\n"
        "for _ in range(300):\n"
        "    try:\n"
        f"        client.create_bucket(Bucket={BUCKET!r})\n"
        f"        client.put_object(Bucket={BUCKET!r}, Key='here', Body=b'here')\n"
        "        break\n"
        "    except Exception:\n"
        "        time.sleep(0.1)\n"
        "else:\n"
        "    raise SystemExit('no bucket')\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=os.environ | environment, check=True)
