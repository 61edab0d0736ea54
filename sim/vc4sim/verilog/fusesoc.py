"""A generator of FuseSoC, which is started with a file that says what is wanted, in the folder where that belongs."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from vc4.config import preset
from vc4sim.verilog import TOP, export
from vc4sim.verilog.bench import PROGRAM, bench_files
from vc4sim.workload import load_example

__all__ = ["generate"]

#: Of the files of a bench, those that a simulator compiles, and those that it reads where it runs, by their kinds.
_KINDS = {
    ".v": {"file_type": "verilogSource"},
    ".vh": {"file_type": "verilogSource", "is_include_file": True},
    ".hex": {"file_type": "user"},
}


def generate(vlnv: str, parameters: Mapping, folder: Path) -> None:
    """Writes the files of a core, and what FuseSoC wants to know of them, to `folder`.

    `parameters` are those of `v3d.core`. Raises `ValueError` if there is no such preset.
    """
    verilog = export(preset(parameters.get("config", "qpu")))
    files = bench_files(verilog, load_example(PROGRAM)) if parameters.get("bench") else {f"{TOP}.v": verilog}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    listed = [{name: _about(name)} for name in files if Path(name).suffix in _KINDS]
    core = {
        "name": vlnv,
        "filesets": {"files": {"files": listed}},
        "targets": {"default": {"filesets": ["files"]}},
    }
    # JSON is YAML.
    (folder / f"{TOP}_generated.core").write_text(f"CAPI=2:\n{json.dumps(core, indent=2)}\n", encoding="utf-8")


def _about(name: str) -> Mapping:
    kind = _KINDS[Path(name).suffix]
    return kind | {"copyto": name} if kind["file_type"] == "user" else kind


if __name__ == "__main__":
    import yaml

    asked = yaml.safe_load(Path(sys.argv[1]).read_text(encoding="utf-8"))
    generate(asked["vlnv"], asked["parameters"], Path.cwd())
