"""Runs programs that draw with OpenGL on Mesa's driver, and this GPU behind it."""

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from ..problem import BadInput
from .build import library_of
from .device import Device
from .server import serving

__all__ = ["driver_variables", "gpu_variables", "run"]

_PRELOADED = ("lib/libvc4_fake_display.so", "lib/libvc4_sim_drm_shim.so")
_DRIVERS = "lib/dri"
_SIGNALLED = 128


def driver_variables(prefix: Path) -> dict[str, str]:
    """What makes a program use the Mesa in `prefix`. Raises `BadInput` if it is not there."""
    for path, command in ((library_of(prefix), "vc4 gl build"), (prefix / _PRELOADED[0], "vc4 gl build --mesa")):
        if not path.exists():
            raise BadInput(f"there is no {path}: {command} makes it")
    return {
        "LD_LIBRARY_PATH": _path(prefix / "lib", os.environ.get("LD_LIBRARY_PATH")),
        "LIBGL_DRIVERS_PATH": str(prefix / _DRIVERS),
        "__EGL_VENDOR_LIBRARY_DIRS": str(prefix / "share/glvnd/egl_vendor.d"),
        "MESA_SHADER_CACHE_DISABLE": "true",
    }


def gpu_variables(prefix: Path) -> dict[str, str]:
    """What makes that Mesa find this GPU."""
    return {
        "LD_PRELOAD": _path(*(prefix / one for one in _PRELOADED), os.environ.get("LD_PRELOAD")),
        "VC4SIM_LIBRARY": str(library_of(prefix)),
    }


def _path(*parts: Path | str | None) -> str:
    return ":".join(str(part) for part in parts if part)


def run(command: Sequence[str], prefix: Path, open_device: Callable[[memoryview], Device]) -> int:
    """Run a program; returns its status, that of a shell if a signal has ended it. Raises `BadInput` if there is none, or no Mesa."""
    variables = {**os.environ, **driver_variables(prefix), **gpu_variables(prefix)}
    if not shutil.which(command[0]):
        raise BadInput(f"there is no program {command[0]}")
    with serving(open_device) as server:
        program = subprocess.Popen(command, env=variables | {"VC4_SERVER": str(server.path)})
        try:
            server.serve(program.pid)
        finally:
            program.terminate()
        status = program.wait()
    return status if status >= 0 else _SIGNALLED - status
