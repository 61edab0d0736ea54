"""What a host sees of the GPU: all registers with the blocks behind them, and the interrupt (guide, section 10)."""

from collections import Counter
from collections.abc import Callable

from vc4.config import V3DConfig

from ..cle.cle import Cle
from ..machine import Machine
from ..ptb.binner import Binner
from ..qps.scheduler import Scheduler
from ..vpm.control import VpmControl
from .bus_errors import BusErrors
from .caches import Caches
from .counters import Counters
from .debug import Debug
from .interrupts import Interrupts
from .register_file import RegisterFile

__all__ = ["HostRegisters"]


class HostRegisters(RegisterFile):
    """The registers of a GPU that is as after a reset.

    events : tells what performance counters count, by the names of their sources
    is_busy : tells whether a program of a user runs or waits
    """

    def __init__(
        self,
        config: V3DConfig,
        machine: Machine,
        cle: Cle,
        binner: Binner,
        scheduler: Scheduler,
        events: Callable[[], Counter[str]],
        is_busy: Callable[[], bool],
    ):
        self._sources = (
            Interrupts(cle, binner),
            Debug(machine.qpus.debug[: config.qpus]),
            BusErrors(machine.tmu.faults),
        )
        others = (
            cle,
            binner,
            scheduler,
            VpmControl(machine.vpm, binner.shading.allocation, is_busy),
            Counters(events),
            Caches(),
        )
        super().__init__(config, (*self._sources, *others))

    @property
    def irq(self) -> bool:
        """The interrupt line."""
        return any(source.irq for source in self._sources)
