"""A bench of plain Verilog for the exported GPU, with a program, its memory, and what memory must hold then."""

from collections.abc import Mapping
from importlib import resources

from ...workload import Check, Workload
from ...workload.hexfile import hex_of_bytes
from ..export import TOP

__all__ = ["PROGRAM", "bench_files"]

#: An example to begin with.
PROGRAM = "coordinate_shader"
_SHIPPED = ("v3d_bench.v", "Makefile")
#: Several times what that takes.
_NANOSECONDS = 100_000


def bench_files(verilog: str, workload: Workload) -> Mapping[str, str]:
    """Texts by the names of their files, for a folder in which `make` runs a program on the exported GPU and says PASS.

    `workload` has one launch, and regions that it checks byte by byte; all other memory must stay what it is.
    """
    (launch,) = workload.launches
    expected = bytearray(workload.image)
    for check in workload.checks:
        assert isinstance(check, Check)
        start = check.address - workload.base
        expected[start : start + len(check.expected)] = check.expected
    words = hex_of_bytes(workload.image)
    facts = {
        "BASE": f"32'h{workload.base:08x}",
        "WORDS": words.count("\n"),
        "CODE": f"32'h{launch.pc:08x}",
        "UNIFORMS": f"32'h{launch.uniforms:08x}",
        "NANOSECONDS": _NANOSECONDS,
    }
    return {
        f"{TOP}.v": verilog,
        **{name: (resources.files(__package__) / name).read_text(encoding="utf-8") for name in _SHIPPED},
        "program.vh": "".join(f"`define PROGRAM_{name} {value}\n" for name, value in facts.items()),
        "memory.hex": words,
        "expected.hex": hex_of_bytes(bytes(expected)),
    }
