"""Where a QPU's writes of I/O registers go, but those of fragment shaders."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from vc4.isa.sfu_tables import SfuFunction

from .plan import TMU_PARAMETERS
from .sfu import SFU_FUNCTIONS
from .vectors import same

if TYPE_CHECKING:
    from .qpu import Qpu

__all__ = ["Output", "outputs"]

#: Takes the value, and the elements that its condition holds in.
Output = Callable[[np.ndarray, np.ndarray], None]


def outputs(qpu: "Qpu") -> dict[str, Output]:
    """By the name of the register, what a write of it does."""
    sequencer, uniforms, vpm = qpu.sequencer, qpu.uniforms, qpu.vpm
    found: dict[str, Output] = {
        "r5quad": partial(qpu.keep_r5, 0),
        "r5rep": partial(qpu.keep_r5, 1),
        "irq": qpu.interrupt,
        "unif_addr": lambda value, _: uniforms.move(sequencer.thread, same(value)),
        "unif_addr_rel": lambda value, _: uniforms.move(sequencer.thread, same(value), relative=True),
        "vpm": lambda value, _: vpm.write(value),
        "vw_setup": lambda value, _: vpm.write_setup(int(value[0])),
        "vw_addr": lambda value, _: vpm.store(int(value[0])),
        "vr_setup": lambda value, _: vpm.read_setup(int(value[0])),
        "vr_addr": lambda value, _: vpm.load(int(value[0])),
        "mutex": lambda _, __: qpu.sync.free(),
        "tmu_noswap": lambda value, _: qpu.tmu.disable_swap(sequencer.thread, same(value)),
    }
    for name, (unit, letter) in TMU_PARAMETERS.items():
        found[name] = partial(qpu.write_tmu, unit, letter)
    for function in SfuFunction:
        found[function.name.lower()] = partial(_write_sfu, qpu, SFU_FUNCTIONS[function])
    return found


def _write_sfu(qpu: "Qpu", function: Callable[[np.ndarray], np.ndarray], value: np.ndarray, _mask: np.ndarray) -> None:
    qpu.keep_r4(function(value))
