"""Carry chains of an ECP5 with fewer cells around them.

Yosys gives a bit of a chain the sum of two signals, and leaves the room for more in its LUT to others; and it gives a chain the
constant that its carry begins with, for which nextpnr adds a cell.
"""

from collections.abc import Mapping, MutableMapping, Sequence
from functools import cache
from itertools import combinations, permutations, product
from typing import Any, NamedTuple

from .wires import PINS, Bit, Wires

__all__ = ["shorten_chains"]

_ROWS = 1 << len(PINS)


class _Bits(NamedTuple):
    """A bit of a chain as functions of its inputs, from the lowest one on; each is a table, as a number.

    through : whether the carry goes through, instead of being generated
    made : which carry is generated then
    """

    inputs: tuple[Bit, ...]
    through: int
    made: int


def shorten_chains(modules: Mapping[str, MutableMapping[str, Any]]) -> None:
    """Make smaller what is around the carry chains (CCU2C) in `modules`, which are as Yosys writes them in JSON.

    A cell of a chain has two bits, each with a LUT of four inputs. Where it is 1, the carry goes through; where it is 0, the carry
    is what the same LUT says with C and D low. The sum is the LUT, exclusive or the carry.

    LUTs (LUT4) that lead to a chain alone become part of it, as far as there is room. The first bit of a chain with a constant
    in front generates what follows from both, if that depends on two signals; its sum becomes a LUT, if anybody reads it.
    """
    for module in modules.values():
        _Module(module).shorten()


class _Module:
    """A module, and its wires."""

    def __init__(self, module: MutableMapping[str, Any]):
        self._wires = Wires(module)
        self._cells, self._luts, self._readers = self._wires.cells, self._wires.luts, self._wires.readers

    def shorten(self) -> None:
        gone: set[Bit] = set()
        for name, cell in [item for item in self._cells.items() if item[1]["type"] == "CCU2C"]:
            if cell["connections"]["CIN"][0] in ("0", "1"):
                self._begin(name, cell)
            for bit in "01":
                if cell["parameters"][f"INJECT1_{bit}"] == "NO":
                    while found := self._smaller(cell, bit):
                        gone |= found
        self._wires.remove_luts(gone)

    def _begin(self, name: str, cell: MutableMapping[str, Any]) -> None:
        """Takes the constant in front of a chain into its first bit."""
        pins = [cell["connections"][f"{pin}0"][0] for pin in PINS]
        functions = self._through(_bits_of(cell, "0", pins), ())
        carry = cell["connections"]["CIN"][0] == "1"
        if functions is None or len(functions.inputs) > 2 or cell["parameters"]["INJECT1_0"] != "NO":
            return
        wires = [*functions.inputs, *"00"][:2] + ["0", "1"]
        rows = range(1 << len(functions.inputs))
        (sum_,) = cell["connections"]["S0"]
        if self._readers[sum_]:
            table = sum(((functions.through >> row & 1) ^ carry) << row for row in rows)
            ports = dict(zip(PINS, ([wire] for wire in [*wires[:2], "0", "0"]), strict=True)) | {"Z": [sum_]}
            self._cells[f"{name}_SUM"] = cell | {
                "type": "LUT4",
                "parameters": {"INIT": f"{table:016b}"},
                "port_directions": {**dict.fromkeys(PINS, "input"), "Z": "output"},
                "connections": ports,
            }
            self._readers.update(wires[:2])
            cell["connections"]["S0"] = [self._wires.new()]
        # With D high the LUT is 0, so that no carry goes through.
        table = sum((carry if functions.through >> row & 1 else functions.made >> row & 1) << row for row in rows)
        cell["parameters"]["INIT0"] = f"{table:016b}"
        cell["connections"] |= {f"{pin}0": [wire] for pin, wire in zip(PINS, wires, strict=True)}
        cell["connections"]["CIN"] = ["x"]

    def _smaller(self, cell: Mapping[str, Any], bit: str) -> set[Bit]:
        """Absorbs as many of the LUTs in front of a bit of a chain as possible; returns what they drove."""
        pins = [cell["connections"][f"{pin}{bit}"][0] for pin in PINS]
        ahead = sorted({pin for pin in pins if pin in self._luts and self._readers[pin] == 1})
        for count in range(len(ahead), 0, -1):
            for chosen in combinations(ahead, count):
                functions = self._through(_bits_of(cell, bit, pins), chosen)
                if functions and (fitted := _fit(len(functions.inputs), functions.through, functions.made)):
                    places, table = fitted
                    for pin, place in zip(PINS, places, strict=True):
                        wire = place if isinstance(place, str) else functions.inputs[place]
                        cell["connections"][f"{pin}{bit}"] = [wire]
                    cell["parameters"][f"INIT{bit}"] = f"{table:016b}"
                    return set(chosen)
        return set()

    def _through(self, functions: _Bits, chosen: tuple[Bit, ...]) -> _Bits | None:
        """The same as functions of what the LUTs in front of it, which drive `chosen`, read; `None` if that is too much."""
        luts = {bit: self._cells[self._luts[bit]] for bit in chosen}
        reads = {bit: [lut["connections"][pin][0] for pin in PINS] for bit, lut in luts.items()}
        every = {bit for one in functions.inputs for bit in reads.get(one, [one])}
        inputs = tuple(sorted(bit for bit in every if isinstance(bit, int)))
        if len(inputs) > len(PINS):
            return None
        through = made = 0
        for row in range(1 << len(inputs)):
            values: dict[Bit, int] = {bit: row >> number & 1 for number, bit in enumerate(inputs)}
            for bit, lut in luts.items():
                values[bit] = int(lut["parameters"]["INIT"], 2) >> _row(reads[bit], values) & 1
            at = _row(functions.inputs, values)
            through |= (functions.through >> at & 1) << row
            made |= (functions.made >> at & 1) << row
        return _Bits(inputs, through, made)


def _bits_of(cell: Mapping[str, Any], bit: str, pins: Sequence[Bit]) -> _Bits:
    """A bit of a chain as functions of its pins."""
    table = int(cell["parameters"][f"INIT{bit}"], 2)
    return _Bits(tuple(pins), table, sum((table >> (row & 3) & 1) << row for row in range(_ROWS)))


def _row(pins: Sequence[Bit], values: Mapping[Bit, int]) -> int:
    """The row of a table that pins choose, with the values of wires; what is not known is 0."""
    return sum(values.get(pin, int(pin == "1")) << place for place, pin in enumerate(pins))


@cache
def _fit(count: int, through: int, made: int) -> tuple[tuple[int | str, ...], int] | None:
    """Pins and a table with which a bit of a chain does what these functions of `count` inputs say: for each pin the number of its
    input, or a constant. `None` if there are none.
    """
    rest = product("01", repeat=len(PINS) - count)
    for places in (order for constants in rest for order in permutations([*range(count), *constants])):
        table: dict[int, int] = {}
        rows = [_row(places, {place: row >> place & 1 for place in range(count)}) for row in range(1 << count)]
        for row, at in enumerate(rows):
            table[at] = through >> row & 1
        # Below, C and D are low: what is generated is what the LUT says there.
        wanted = [(at & 3, made >> row & 1) for row, at in enumerate(rows) if not table[at]]
        if all(table.setdefault(at, value) == value for at, value in wanted):
            return places, sum(value << at for at, value in table.items())
    return None
