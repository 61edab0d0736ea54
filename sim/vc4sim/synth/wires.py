"""A module as Yosys writes it in JSON, with who drives and who reads its wires."""

from collections import Counter
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any

__all__ = ["HALVES", "PINS", "Bit", "Wires", "multiplexer"]

#: Inputs of a LUT.
PINS = "ABCD"
#: Inputs of the multiplexer beside two LUTs (PFUMX): the first one if its select, C0, is 0.
HALVES = ("BLUT", "ALUT")
#: A bit of a wire: its number, or a constant.
Bit = int | str


class Wires:
    """What changes LUTs (LUT4) of a module has to know of it.

    cells : of the module, by their names
    luts : names of LUTs, by what they drive
    readers : how many pins and ports of the module read a bit
    """

    def __init__(self, module: MutableMapping[str, Any]):
        self.cells = module["cells"]
        self.luts: dict[Bit, str] = {}
        self.readers: Counter[Bit] = Counter()
        self._names = module["netnames"]
        self._last = 0  # number of a wire
        for name, cell in self.cells.items():
            for port, bits in cell["connections"].items():
                self._last = max([self._last, *(bit for bit in bits if isinstance(bit, int))])
                if cell["port_directions"][port] == "input":
                    self.readers.update(bits)
                elif cell["type"] == "LUT4":
                    self.luts[bits[0]] = name
        for port in module["ports"].values():
            self.readers.update(port["bits"])

    def beside(self) -> set[Bit]:
        """What those LUTs drive that have another one beside them, with the multiplexer."""
        return {
            cell["connections"][half][0] for cell in self.cells.values() if cell["type"] == "PFUMX" for half in HALVES
        }

    def new(self) -> int:
        """A wire that nothing drives."""
        self._last += 1
        return self._last

    def remove_luts(self, driven: Iterable[Bit]) -> None:
        """Remove the LUTs that drive these bits."""
        gone = set(driven)
        for bit in gone:
            del self.cells[self.luts[bit]]
        for names in self._names.values():
            names["bits"] = ["x" if bit in gone else bit for bit in names["bits"]]


def multiplexer(lut: Mapping[str, Any], connections: Mapping[str, list[Bit]]) -> dict[str, Any]:
    """The multiplexer beside `lut`, by whose attributes it is known."""
    ports = {**dict.fromkeys([*HALVES, "C0"], "input"), "Z": "output"}
    return {**lut, "type": "PFUMX", "parameters": {}, "port_directions": ports, "connections": connections}
