"""Room beside the LUTs of an ECP5, so that where cells are placed there are wires enough.

nextpnr's static placer puts cells as close to each other as they fit, however empty the device is. Where a GPU on a board is, up to
nine of ten wires are taken then, and the router needs 24 minutes, or has not ended after an hour. Nothing tells the placer to leave room, but what is
two LUTs takes the room of two.
"""

from collections.abc import MutableMapping
from typing import Any

from .wires import PINS, Wires, multiplexer

__all__ = ["give_room"]


def give_room(module: MutableMapping[str, Any], most: int) -> int:
    """Put an empty LUT beside each LUT that has none beside it, into a module as Yosys writes it in JSON; returns how many.

    What holds it there is a multiplexer (PFUMX) that nobody reads, so nothing changes but places. There is no room if LUTs are more
    than `most` then.
    """
    wires = Wires(module)
    taken = wires.beside()
    alone = {bit: name for bit, name in wires.luts.items() if bit not in taken}
    if len(wires.luts) + len(alone) > most:
        return 0
    for bit, name in alone.items():
        lut, room = wires.cells[name], [wires.new()]
        nothing = {"parameters": {"INIT": "0" * 16}, "connections": {**{pin: [] for pin in PINS}, "Z": room}}
        wires.cells[f"{name}_room"] = {**lut, **nothing}
        ports = {"BLUT": [bit], "ALUT": room, "C0": [], "Z": [wires.new()]}
        wires.cells[f"{name}_beside"] = multiplexer(lut, ports)
    return len(alone)
