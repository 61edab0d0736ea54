"""Events as the records of a simulator: so the model, or what a test makes of it, can stand for the RTL."""

import dataclasses
from collections import defaultdict

import numpy as np
from amaranth.lib import data

from vc4.isa.ops import Condition
from vc4.isa.registers import ELEMENTS, ELEMENTWISE_WRITES, WRITE
from vc4.qpu.structs import ProgramStart
from vc4.qpu.trace import R4_SOURCES
from vc4sim.backends import model
from vc4sim.bench.gather import Retired, RetiredWrite
from vc4sim.events import MemoryWrite, Retirement, Start
from vc4sim.model.qpu.decoded import decoded
from vc4sim.model.qpu.flags import passing
from vc4sim.retired import R4_ARRIVED, RECORD_WORDS, RETIRED, START_WORDS, STARTED, WRITTEN, record, written_names

_NAMES = written_names()


class Told:
    """Gives the records of an event, one a row; what r4 becomes comes right after its instruction.

    It keeps the flags of each QPU in mind: they say which ALU has written a register that both name.
    """

    def __init__(self):
        self._flags = defaultdict(lambda: (0, 0, 0))

    def __call__(self, event):
        if isinstance(event, MemoryWrite):
            return np.stack([_byte(event.address + index, value) for index, value in enumerate(event.data)])
        if isinstance(event, Start):
            start = _number(ProgramStart, dataclasses.asdict(event.launch))
            return record(STARTED, start.to_bytes(4 * START_WORDS, "little"), event.qpu)[None]
        assert isinstance(event, Retirement)
        loads = [write for write in event.writes if write.register == "r4"]
        row = record(RETIRED, _retired(event, self._flags[event.qpu]), event.qpu)
        self._flags[event.qpu] = event.flags or self._flags[event.qpu]
        # What the instruction itself loads is newer than a result.
        source = R4_ARRIVED + R4_SOURCES.index("loaded")
        return np.stack([row, *(record(source, write.values, event.qpu) for write in loads)])


def stand_in(fault):
    """An engine that is the model in place of the RTL: `fault` gives the events that it tells for an event."""

    def run(job, watch=None, waves=None, follow=None):
        told = Told()

        def tell(event):
            for one in fault(event):
                if watch:
                    watch(one)
                if follow:
                    follow(told(one))

        return model.run(job, tell)

    return run


def _byte(address, value):
    word = b"".join(number.to_bytes(4, "little") for number in (address, 1, value))
    return record(WRITTEN, word)


def _writes(write, flags):
    """Whether an ALU writes, with these flags before: some registers take all elements whatever the condition."""
    is_whole = write.address not in ELEMENTWISE_WRITES and write.condition is not Condition.NEVER
    return is_whole or passing(*flags, write.condition.value)


def _retired(event, before):
    reads, flags = dict(event.reads), event.flags
    values = [write for write in event.writes if write.register != "r4"]
    fields = {
        "pc": event.pc,
        "word": event.word,
        "thread": event.thread,
        "brings_loaded": len(event.writes) > len(values),
        "reads_uniform": "unif" in reads,
        "uniform": reads.get("unif", 0),
        "sets_flags": flags is not None,
        "flag_mask": (1 << ELEMENTS) - 1,
        **dict(zip("nzc", flags or (0, 0, 0), strict=True)),
    }
    for name, engine in (("load", "vr"), ("store", "vw")):
        fields |= {f"reads_{name}_busy": f"{engine}_busy" in reads, f"{name}_busy": reads.get(f"{engine}_busy", 0)}
    names = [WRITE.name(one.address, one.file) if _writes(one, before) else None for one in decoded(event.word).writes]
    alus = ("add", "mul") if len(values) == 2 or not values or values[0].register == names[0] else ("mul",)
    for alu, write in zip(alus, values, strict=False):
        number = _NAMES.index(write.register)
        fields[f"{alu}_data"] = int.from_bytes(write.values, "little")
        fields[alu] = _number(
            RetiredWrite, {"file": number >> 6, "address": number & 63, "mask": write.elements, "bytes": write.bytes}
        )
    return _number(Retired, fields).to_bytes(4 * RECORD_WORDS, "little")


def _number(struct, fields):
    """The bits of a struct, of which only these fields are not 0."""
    layout = data.Layout.cast(struct)
    return sum(int(value) << layout[name].offset for name, value in fields.items())
