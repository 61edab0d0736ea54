"""Binning lists with damage anywhere in their frame, and how they end on RTL and model."""

import random
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from vc4.config import V3DConfig
from vc4.records.control import ControlCode

from ..backends.base import Waves
from ..frames.binned import Binned, binned
from ..frames.expected import FrontModel
from ..frames.job import FrontJob
from ..model.cle.cle import BINNING, Rest
from ..model.memory import Memory
from ..model.v3d import V3D
from . import whole_frame as frame
from .compare import compare_binning
from .mutation import Damage, mutate

__all__ = ["ENDS", "REGIONS", "DamagedJob", "compare_damaged", "damaged_job"]

#: Steps until a list counts as one that does not end, and instructions of a program.
_STEPS, _INSTRUCTIONS = 3000, 300
#: Where bytes are worth to be changed: first address and the one after the last, some of them twice. No programs: what damaged
#: ones do depends on who runs them.
REGIONS = (
    (frame.LISTS, frame.LISTS + 0x40),
    (frame.LISTS, frame.LISTS + 0x300),
    (frame.RECORDS, frame.RECORDS + 0x1A0),
    (frame.RECORDS, frame.RECORDS + 0x80),
    (frame.VERTICES, frame.VERTICES + 0x300),
    (frame.SHADED, frame.SHADED + 0x400),
    (frame.INDICES, frame.INDICES + 12),
    (frame.ALLOCATION, frame.ALLOCATION + 0x200),
)
#: How one ends, see `compare_damaged`.
ENDS = (
    *("flushed", "ended", "waits", "error of the list", "error of the binner"),
    *("goes on", "overwrites itself", "shades with another program"),
)
_FLUSHES = ControlCode.FLUSH, ControlCode.FLUSH_ALL_STATE
_CLOCKS = 8_000_000  # of 255 by 255 tiles


@dataclass(frozen=True, kw_only=True)
class DamagedJob(FrontJob):
    """A binning list, see `FrontJob`.

    damages : what is wrong with its memory
    """

    damages: tuple[Damage, ...] = ()


def damaged_job(
    seed: int, config: V3DConfig, first: Damage | None = None, kept: Collection[int] | None = None
) -> DamagedJob:
    """A small frame with everything, with damage anywhere, tile states among it: sometimes the list does not initialise them.

    first : what is damaged first, and how; its address is any of the region where it is
    kept : numbers of the damages that are done, `None`: all
    """
    rng = random.Random(seed)
    memory, end = frame.frame(rng, rng.choice(_FLUSHES))
    damages: list[Damage] = []
    image = mutate(rng, bytes(frame.BASE) + bytes(memory.data), 0, REGIONS, first=first, told=damages.append, kept=kept)
    overspill = range(frame.OVERSPILL, frame.OVERSPILL + frame.OVERSPILL_BYTES)
    supplies = (overspill[rng.choice((0, 0, 1, 300)) :] for _ in range(rng.randrange(3)))
    return DamagedJob(
        image=image,
        registers=(("CT0CA", frame.LISTS), ("CT0EA", end)),
        overspill=tuple((one.start, len(one)) for one in supplies),
        config=config,
        bins=True,
        max_cycles=_CLOCKS,
        damages=tuple(damages),
    )


def compare_damaged(job: FrontJob, on: str = "native", waves: Waves | None = None) -> str:
    """Run it on both; returns how it has ended, one of `ENDS`.

    Where hardware goes on, or where it matters when something is read, RTL and model are not compared: the answer says so. Raises
    `AssertionError` for any other difference, and whatever a check of the RTL raises.
    """
    done = binned(job, steps=_STEPS, instructions=_INSTRUCTIONS)
    model, rest, _ = done
    thread = model.cle.threads[BINNING]
    if rest is Rest.LIMIT or _goes_on(str(model.binner.error or thread.error or ""), len(job.image)):
        return "goes on"
    if (model.binner.error or model.binner.out_of_memory) and _shading_goes_on(job):
        return "goes on"
    if done.written[: frame.STATES].any():  # When it is read is another matter.
        return "overwrites itself"
    try:
        compare_binning(job, on, waves, done)
    except AssertionError:
        if _reads_what_it_writes(job, done):  # When is another matter, too.
            return "overwrites itself"
        if _begins_elsewhere(job):
            return "shades with another program"
        raise
    if thread.error:
        return "error of the list"
    if model.binner.error:
        return "error of the binner"
    return "waits" if model.binner.out_of_memory else "flushed" if model.read("BFC") else "ended"


def _goes_on(why: str, size: int) -> bool:
    """Whether hardware does, as memory answers with an error, or a program never ends; the model says why it has stopped."""
    if why.startswith(("a write of the binner", "an initial block")):
        return int(why.split(" at ")[1].split()[0], 16) >= size
    return any(what in why for what in ("outside of memory", "program", "shader at"))


def _shading_goes_on(job: FrontJob) -> bool:
    """Whether it does where nobody bins: hardware shades ahead of a binner that has stopped, as far as there is room."""
    front = FrontModel(job.config, Memory(len(job.image), 0, job.image))
    front.gpu.binner.shading.limit = _INSTRUCTIONS
    rest = front.run(job.registers, _STEPS)
    return rest is Rest.LIMIT or _goes_on(str(front.fronts[BINNING].error or ""), len(job.image))


class _Apart(Memory):
    """Tile lists, clipped vertices and states of tiles have bytes of their own, which nobody else sees.

    lists : these
    in_lists, in_states : which bytes are written of lists, and read or written of states; a flag each
    """

    def __init__(self, image: bytes, lists: bytes):
        super().__init__(len(image), 0, image)
        self.lists = Memory(len(lists), 0, lists)
        self.in_lists, self.in_states = np.zeros((2, len(lists)), bool)

    def read(self, address: int, length: int, access: str = "read") -> bytes:
        """See `Memory`."""
        if access != "tile state":
            return super().read(address, length, access)
        self.in_states[address : address + length] = True
        return self.lists.read(address, length, access)

    def write(self, address: int, data: bytes, access: str = "write") -> None:
        """See `Memory`."""
        if not access.startswith("a write of the binner"):
            super().write(address, data, access)
            return
        (self.in_states if access.endswith("state") else self.in_lists)[address : address + len(data)] = True
        self.lists.write(address, data, access)


def _reads_what_it_writes(job: FrontJob, done: Binned) -> bool:
    """Whether vertices or states of tiles, say, lie in memory for tile lists: then it matters what the binner has written when they
    are read; on the model all that comes before, on hardware perhaps less, or more.
    """
    after = bytes(done.gpu.memory.data)
    for seen in job.image, after:
        memory = _Apart(seen, job.image)
        again = binned(job, V3D(job.config, memory), steps=_STEPS, instructions=_INSTRUCTIONS)
        found, wanted = (np.frombuffer(data, np.uint8)[done.written] for data in (bytes(memory.lists.data), after))
        if again.gpu.events != done.gpu.events or (found != wanted).any() or (memory.in_lists & memory.in_states).any():
            return True
    return False


def _begins_elsewhere(job: FrontJob) -> bool:
    """Whether a program does: results that it leaves out are 0 on the model, and on hardware what is left in the VPM."""
    gpu, begins = V3D(job.config, Memory(len(job.image), 0, job.image)), set()
    shaders = gpu.binner.shading.shaders
    run = shaders.run

    def note(kind, launch, *rest):
        begins.add(launch.pc)
        run(kind, launch, *rest)

    shaders.run = note
    binned(job, gpu, steps=_STEPS, instructions=_INSTRUCTIONS)
    return not begins <= {frame.CODE, frame.CODE + 0x200}
