"""The GPU as Verilog, for tools that do not know Amaranth."""

import os

from amaranth.back import verilog
from amaranth.hdl import Elaboratable
from amaranth.lib import wiring

from vc4.config import V3DConfig
from vc4.v3d import V3D

from .hierarchy import without_checks

__all__ = ["TOP", "export"]

#: Name of the top module.
TOP = "v3d"


class _Synthesizable(Elaboratable):
    """A component with the same ports, and without its checks."""

    def __init__(self, component: wiring.Component):
        self.signature = component.signature
        self._component = component

    def __getattr__(self, name: str):
        return getattr(self._component, name)

    def elaborate(self, platform):
        return without_checks(self._component)


def export(config: V3DConfig) -> str:
    """Verilog of `V3D`, without the trace port if `config` does not ask for it.

    The assertions of the RTL are left out. They are for our own simulators, which check them in every run; who builds
    an FPGA or simulates the Verilog wants no more than the logic, and tools differ in what they make of `assert` in the
    middle of a design: some refuse it, some warn, some keep logic alive for it.
    """
    # One Yosys for everyone: the one that comes with the package, unless the user decides otherwise.
    os.environ.setdefault("AMARANTH_USE_YOSYS", "builtin")
    return verilog.convert(_Synthesizable(V3D(config)), name=TOP, strip_internal_attrs=True)
