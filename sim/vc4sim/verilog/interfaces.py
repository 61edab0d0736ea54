"""Attributes of ports by which Vivado knows buses, clock, reset and interrupt (UG994, "Inferring Interfaces")."""

from amaranth.lib import wiring

from vc4.bus.axi import AxiLitePort, AxiPort

__all__ = ["port_attributes"]

_KIND, _PARAMETER = "X_INTERFACE_INFO", "X_INTERFACE_PARAMETER"
_AXI = "xilinx.com:interface:aximm:1.0"
_INTERRUPT = {
    _KIND: "xilinx.com:signal:interrupt:1.0 irq INTERRUPT",
    _PARAMETER: "SENSITIVITY LEVEL_HIGH",
}
_RESET = {_KIND: "xilinx.com:signal:reset:1.0 rst RST", _PARAMETER: "POLARITY ACTIVE_HIGH"}


def port_attributes(component: wiring.Component) -> dict[str, dict[str, str]]:
    """For each port that Vivado can know, its attributes and their values."""
    buses = {
        name: member.signature
        for name, member in component.signature.members.items()
        if member.is_signature and isinstance(member.signature, AxiPort | AxiLitePort)
    }
    found = {
        f"{bus}_{signal}": {_KIND: f"{_AXI} {bus} {signal.upper()}"}
        for bus, signature in buses.items()
        for signal in signature.members
    }
    clock = {_KIND: "xilinx.com:signal:clock:1.0 clk CLK"}
    clock[_PARAMETER] = ", ".join([f"ASSOCIATED_BUSIF {':'.join(buses)}"] * bool(buses) + ["ASSOCIATED_RESET rst"])
    found |= {"clk": clock, "rst": _RESET}
    if "irq" in component.signature.members:
        found["irq"] = _INTERRUPT
    return found
