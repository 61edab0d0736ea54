"""What a run breaks, the checker has found before; and what it finds clean, runs clean.

The programs are random ones. After a branch to a register the checker knows nothing, so they have none; after a branch
that is lost it does not know where the program goes, so all keep R14 and R15.
"""

import struct
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vc4.config import preset
from vc4.isa.decode import decode
from vc4.isa.ops import Signal
from vc4.isa.timing import END_SLOTS
from vc4.isa.word import NOP_WORD, WORD_BYTES, BranchWord
from vc4sim.backends import model
from vc4sim.checker import check
from vc4sim.events import Retirement
from vc4sim.random_programs import random_job

LENGTH = 130
SEEDS = [*range(1, 5), *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(5, 21))]
CONFIG = preset("qpu")
ENDS = (Signal.PROGRAM_END, Signal.LOAD_COLOUR_END)


def words_of(job):
    return list(
        struct.unpack(f"<{len(job.image) // WORD_BYTES}Q", job.image[: len(job.image) // WORD_BYTES * WORD_BYTES])
    )


def with_words(job, words):
    code = struct.pack(f"<{len(words)}Q", *words)
    return replace(job, image=code + job.image[len(code) :])


def is_branch(word, **fields):
    found = decode(word)
    return found.layout is BranchWord and all(getattr(found, name) == value for name, value in fields.items())


def signal_of(word):
    """Of an instruction; branches have none."""
    return getattr(decode(word), "signal", None)


def program(seed, *, straight):
    """A random job, and its words; nothing branches to a register, or at all."""
    job = random_job(seed, LENGTH, CONFIG)
    kept = {} if straight else {"register": 1}
    words = [NOP_WORD if is_branch(word, **kept) else word for word in words_of(job)]
    return replace(job, max_cycles=20_000), words


#: What depends on values, and on how often a loop runs.
KNOWN_BY_RUNS = {"R33", "R34", "R35"}


def orders(found):
    return [one.order for one in found if one.hazard.rule not in KNOWN_BY_RUNS]


def static_breaches(job, words):
    entries = [(launch.pc - job.base) // WORD_BYTES for launch in job.launches]
    return set(orders(check(words, job.base, entries=entries)))


def without(words, offsets):
    return [NOP_WORD if index * WORD_BYTES in offsets else word for index, word in enumerate(words)]


@pytest.fixture
def run(breaches):
    """The breaches of a run, as `Finding.order`, and how many instructions have run."""

    def run(job, words):
        events = []
        model.run(with_words(job, words), events.append)
        found = breaches(job.base, len(job.image), events)
        return orders(found), sum(isinstance(event, Retirement) for event in events)

    return run


@pytest.mark.parametrize("straight", [True, False], ids=["straight", "branches"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_checker_has_found_it_before(run, seed, straight):
    job, words = program(seed, straight=straight)
    lost = {offset for offset, rule, _ in static_breaches(job, words) if rule in (14, 15)}
    words = without(words, lost)
    found, retired = run(job, words)
    assert found, "this program is too good"
    assert retired > LENGTH / 2
    assert set(found) <= static_breaches(job, words)


@pytest.mark.parametrize("straight", [True, False], ids=["straight", "branches"])
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_clean_runs_clean(run, seed, straight):
    job, words = program(seed, straight=straight)
    while offsets := {offset for offset, _, _ in static_breaches(job, words)}:
        words = without(words, offsets)
    found, retired = run(job, words)
    assert found == []
    assert retired > LENGTH / 2


ANY_FLAGS = st.tuples(*[st.sampled_from([0, 1, 0x8000, 0xFFFF]) | st.integers(0, 0xFFFF)] * 3)
ANY_WORD = st.integers(0, (1 << 64) - 1).filter(lambda word: not is_branch(word))


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(st.tuples(ANY_WORD, ANY_FLAGS), min_size=1, max_size=12))
def test_any_words_in_a_row(breaches, told):
    """Also what is not built, so nothing has run: some events, whatever the flags are."""
    words = [word for word, _ in told]
    ends = [index for index, word in enumerate(words) if decode(word).signal in ENDS]
    words = words[: ends[0] + 1 + END_SLOTS] if ends else words
    events = [
        Retirement(0, 0, WORD_BYTES * index, word, flags=flags)
        for index, (word, (_, flags)) in enumerate(zip(words, told, strict=False))
    ]
    found = set(orders(breaches(0, WORD_BYTES * len(words), events)))
    assert found <= set(orders(check(words)))
