"""`vc4 bench activity`: records what changes in the parts of a GPU while it works."""

import os
import shutil
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path

from tqdm import tqdm

from .. import native
from ..cxxrtl.build import NoCompiler, find_compiler
from ..native.activity import KNOWN, RECORDED, gather
from ..problem import BadInput

__all__ = ["record_activity"]

_FRAMES = Path("tests/data/cases/gl")
#: What the parts of the presets do while they are watched.
_RUNS = {
    "qpu": ("run", "mandelbrot", "--on", "native", "--config", "qpu"),
    "slice": ("run", "mandelbrot", "--on", "native", "--config", "slice"),
    "gpu color": ("bench", "frames", str(_FRAMES / "tri_color"), "--config", "gpu", "--seconds", "0.1"),
    "gpu stencil": ("bench", "frames", str(_FRAMES / "stencil"), "--config", "gpu", "--seconds", "0.1"),
    "bcm2835": ("bench", "frames", str(_FRAMES / "tex_mip"), "--config", "bcm2835", "--seconds", "0.1"),
}
_VC4 = "import sys; from vc4sim.cli import main; sys.exit(main())"


def record_activity(into: Path | None) -> list[Path]:
    """Files in `into`, or in the package, about all parts of the presets that do something in these runs.

    All runs twice: which signals change decides about the variables of native code, and of these it is recorded then. Raises
    `BadInput` where there is no C++ compiler, or outside of the project's folder, which has the frames.
    """
    if not _FRAMES.is_dir():
        raise BadInput(f"{_FRAMES} is not here: the frames that it draws are in the project's folder")
    try:
        find_compiler()
    except NoCompiler as reason:
        raise BadInput(str(reason)) from None
    into = into or Path(str(resources.files(native) / "activity"))
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        flags = os.environ.get("VC4_NATIVE_FLAGS", "-O1")
        recording = {RECORDED: str(work / "now"), "XDG_CACHE_HOME": str(work), "VC4_NATIVE_FLAGS": flags}
        (work / "now").mkdir()
        for turn in range(2):
            folders = []
            for name, command in tqdm(_RUNS.items(), unit=" runs", disable=not sys.stderr.isatty(), leave=False):
                subprocess.run(
                    [sys.executable, "-c", _VC4, *command], check=True, capture_output=True, env=os.environ | recording
                )
                folders.append(work / f"{turn} {name}")
                folders[-1].mkdir()
                for path in (work / "now").iterdir():
                    if path.is_file():
                        path.rename(folders[-1] / path.name)
            gather(folders, work / "now" / KNOWN)
        into.mkdir(parents=True, exist_ok=True)
        return [Path(shutil.copy(path, into)) for path in sorted((work / "now" / KNOWN).iterdir())]
