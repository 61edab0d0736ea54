"""The comment at the beginning of an exported file: what it is, and its ports."""

import dataclasses
from collections.abc import Iterable, Iterator
from importlib import metadata

from vc4.config import V3DConfig

__all__ = ["Port", "header"]

#: What Verilator warns of in Verilog that Yosys has written, and why that is all right.
_QUIET = {
    "WIDTH": "operands are extended by the rules of the language",
    "CASEINCOMPLETE": "values are given before the case",
    "CASEOVERLAP": "the first item that matches counts",
    "CMPCONST": "a bound may be all that a signal can reach",
    "UNSIGNED": "or 0",
    "INITIALDLY": "starts processes whose inputs are constant, in every simulator",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Port:
    """A port of the module: its name, `input` or `output`, and its width in bits."""

    name: str
    direction: str
    width: int

    def __str__(self) -> str:
        return f"{self.direction:6} {f'[{self.width - 1}:0]' if self.width > 1 else '':7}{self.name}"


def header(name: str, config: V3DConfig | None, ports: Iterable[Port]) -> str:
    """Comment lines about the module `name`; `config` is that of the GPU, if the module is one."""
    comment = "".join(f"// {line}".rstrip() + "\n" for line in _lines(name, config, ports))
    return comment + "".join(f"/* verilator lint_off {rule} */  // {why}\n" for rule, why in _QUIET.items())


def _lines(name: str, config: V3DConfig | None, ports: Iterable[Port]) -> Iterator[str]:
    package = metadata.metadata("vc4-rtl")
    yield f"{name}: made by {package['Name']} {package['Version']}"
    yield f"Licence: {package['License-Expression']}"
    if config:
        # Trace ports are for our own simulators, the top module has none.
        sizes = [field.name for field in dataclasses.fields(config) if field.name != "trace"]
        chosen = ", ".join(f"{name} = {getattr(config, name)}" for name in sizes)
        yield f"Configuration: {chosen}"
    yield ""
    yield "Ports; all are synchronous to clk, and so is the reset:"
    yield from (f"  {port}" for port in ports)
