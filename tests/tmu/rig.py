"""A texture unit as native code, with QPUs that write and load as fast as it lets them."""

import ctypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from vc4.records.tmu import TmuParameterName
from vc4.tmu.tmu import Tmu
from vc4sim.bench.memory import chance_of, seed_of
from vc4sim.model.memory import Memory
from vc4sim.model.tmu.formats import FORMATS
from vc4sim.model.tmu.parameters import texture
from vc4sim.model.tmu.unit import TextureUnit

from ..native_rig import native_rig

__all__ = ["Lookup", "Outcome", "check", "run"]

QPUS, ELEMENTS = 4, 16
_DRIVER = Path(__file__).with_name("rig.cc")


@dataclass
class Lookup:
    """Vectors of parameters by their letters, in the order in which they are written, and the uniforms that they take."""

    vectors: dict[str, np.ndarray]
    uniforms: tuple[int, ...] = ()

    @property
    def words(self) -> int:
        """How many words of sixteen elements come back."""
        return FORMATS[texture(self.uniforms).type].reads if self.uniforms else 1


@dataclass
class Outcome:
    """Of each QPU: in which clock each word was there, and its elements; and how many lines were fetched."""

    clocks: list[np.ndarray]
    words: list[np.ndarray]
    lines: int


@cache
def _library(names, errata):
    bench = f"#define NAMES {names}\n{_DRIVER.read_text()}"
    return native_rig(lambda: (Tmu(QPUS // names, names, errata), bench), str(sorted(errata, key=str)), bench)


def _parameters(lookups, alone):
    """Each parameter as words: its name, its uniform, how many words must be there before it is written, its vector."""
    rows, words = [], 0
    for lookup in lookups:
        uniforms = lookup.uniforms or (0,)
        for (letter, vector), uniform in zip(lookup.vectors.items(), uniforms, strict=True):
            head = [TmuParameterName[letter.upper()].value, uniform, words * alone]
            rows.append(np.concatenate([head, vector]))
        words += lookup.words
    return np.ascontiguousarray(np.array(rows, np.uint32).reshape(-1, 3 + ELEMENTS))


def run(
    programs, memory, base, *, latency=1, alone=False, gap=0.0, seed=1, clocks=1_000_000, names=1, errata=frozenset()
) -> Outcome:
    """Each of up to four QPUs looks up what its program says, or of two by each of their names; memory gives the first word of a line after `latency` clocks,
    and a word a clock, line after line. `alone`: the next lookup is written when the one before has been answered.

    `gap` is the chance of a pause wherever there may be one; then the words of lines are mixed, and the cache is cleared at
    times.
    """
    programs = [*programs, *[[]] * (QPUS - len(programs))]
    parameters = [_parameters(program, alone) for program in programs]
    counts = [sum(lookup.words for lookup in program) for program in programs]
    results = [np.zeros((count, 1 + ELEMENTS), np.uint32) for count in counts]
    lines = ctypes.c_uint32()

    def pointers(arrays):
        return (ctypes.c_void_p * QPUS)(*(array.ctypes.data for array in arrays))

    lengths = (ctypes.c_uint32 * QPUS)(*map(len, parameters))
    numbers = (base, len(memory), latency, clocks, chance_of(gap), seed_of(seed))
    end = _library(names, errata).run(
        *(pointers(parameters), lengths, pointers(results), ctypes.c_uint32(sum(counts)), memory),
        *map(ctypes.c_uint32, numbers),
        ctypes.byref(lines),
    )
    assert 0 < end <= clocks, "it does not end" if end else "a check fails"
    return Outcome([one[:, 0].astype(int) for one in results], [one[:, 1:] for one in results], lines.value)


def check(programs, outcome, memory, base, most=None, errata=frozenset()):
    """The words, or the first ones, of each program are those of the model."""
    unit = TextureUnit(Memory(len(memory), base, memory), errata)
    for program, got in zip(programs, outcome.words, strict=False):
        want = [word for lookup in program[:most] for word in unit.look_up(lookup.vectors, lookup.uniforms)]
        wrong = np.flatnonzero((np.array(want, np.uint32).reshape(-1, ELEMENTS) != got[: len(want)]).any(axis=1))
        assert not len(wrong), f"word {wrong[0]} of {len(want)}"
