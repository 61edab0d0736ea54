"""LUTs as Yosys writes them in JSON."""

PINS = "ABCD"


def lut(table, pins, out):
    connections = {**{pin: [bit] for pin, bit in zip(PINS, pins, strict=True)}, "Z": [out]}
    directions = {**dict.fromkeys(PINS, "input"), "Z": "output"}
    return {"type": "LUT4", "parameters": {"INIT": table}, "port_directions": directions, "connections": connections}


def at(table, pins, values):
    """The row of a table that pins choose."""
    row = sum(values.get(pin, int(pin == "1")) << place for place, pin in enumerate(pins))
    return int(table, 2) >> row & 1
