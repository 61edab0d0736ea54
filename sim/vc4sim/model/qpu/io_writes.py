"""Where writes of I/O registers go that need nothing of the instruction but its value."""

from collections.abc import Callable
from functools import partial

import numpy as np

from vc4.isa.sfu_tables import SfuFunction

from ..arith.sfu import SFU_FUNCTIONS
from ..qps.sync import Sync
from ..slice.uniforms import Uniforms
from ..tmu.port import TmuPort
from ..vpm.port import VpmPort
from .accumulators import Accumulators
from .sequencer import Sequencer
from .vectors import same

__all__ = ["Output", "outputs"]

#: Takes the value, and the elements that its condition holds in.
Output = Callable[[np.ndarray, np.ndarray], None]


def outputs(
    accumulators: Accumulators, sequencer: Sequencer, uniforms: Uniforms, vpm: VpmPort, tmu: TmuPort, sync: Sync
) -> dict[str, Output]:
    """By the name of the register, what a write of it does."""
    found: dict[str, Output] = {
        "r5quad": partial(accumulators.keep_r5, 0),
        "r5rep": partial(accumulators.keep_r5, 1),
        "unif_addr": lambda value, _: uniforms.move(sequencer.thread, same(value)),
        "unif_addr_rel": lambda value, _: uniforms.move(sequencer.thread, same(value), relative=True),
        "vpm": lambda value, _: vpm.write(value),
        "vw_setup": lambda value, _: vpm.write_setup(int(value[0])),
        "vw_addr": lambda value, _: vpm.store(int(value[0])),
        "vr_setup": lambda value, _: vpm.read_setup(int(value[0])),
        "vr_addr": lambda value, _: vpm.load(int(value[0])),
        "mutex": lambda _, __: sync.free(),
        "tmu_noswap": lambda value, _: tmu.disable_swap(sequencer.thread, same(value)),
    }
    for function in SfuFunction:
        found[function.name.lower()] = partial(_write_sfu, accumulators, SFU_FUNCTIONS[function])
    return found


def _write_sfu(
    accumulators: Accumulators, function: Callable[[np.ndarray], np.ndarray], value: np.ndarray, _mask: np.ndarray
) -> None:
    accumulators.keep_r4(function(value))
