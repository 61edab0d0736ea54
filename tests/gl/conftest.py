"""The library, and a driver that uses it."""

import os
import subprocess
from pathlib import Path

import pytest

from vc4sim.cli import main


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    """Where the library is installed."""
    prefix = tmp_path_factory.mktemp("gl")
    assert main(["gl", "build", "--prefix", str(prefix)]) == 0
    return prefix


@pytest.fixture(scope="session")
def flags(prefix):
    """For the compiler, as pkg-config has them."""
    environment = os.environ | {"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    command = ["pkg-config", "--cflags", "--libs", "vc4sim"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()


@pytest.fixture(scope="session")
def driver(prefix, flags):
    """A program that plays the driver, built as its author would."""
    program = prefix / "draw"
    source = Path(__file__).parent / "draw.c"
    subprocess.run(["cc", str(source), *flags, f"-Wl,-rpath,{prefix}/lib", "-o", str(program)], check=True)
    return program
