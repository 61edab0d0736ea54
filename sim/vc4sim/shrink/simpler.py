"""Simpler words than a given one."""

from collections.abc import Callable, Iterator
from functools import partial

from vc4.isa.decode import decode, encode
from vc4.isa.ops import BranchCondition, Condition, Signal
from vc4.isa.word import NOP_WORD, AluWord, BranchWord, LoadWord

__all__ = ["steps"]

_NOP = {name: value for name, value in vars(decode(NOP_WORD)).items() if name not in ("word", "layout")}


def _as_nop(*names: str) -> dict:
    """Fields as in an instruction that does nothing."""
    return {name: _NOP[name] for name in names}


_ADD = _as_nop("op_add", "cond_add", "waddr_add", "add_a", "add_b")
_MUL = _as_nop("op_mul", "cond_mul", "waddr_mul", "mul_a", "mul_b")
_RESULTS = (_as_nop("cond_add", "waddr_add"), _as_nop("cond_mul", "waddr_mul"))
_PACKS = ({"pm": 0, "pack": 0}, {"pack": 0}, {"pm": 0})
_R0 = 32

#: What to try with each form, one after the other, the largest steps first.
_STEPS: dict[type, tuple[dict, ...]] = {
    AluWord: (
        _ADD,
        _MUL,
        *_RESULTS,
        _as_nop("op_add"),
        _as_nop("op_mul"),
        {"sf": 0},
        {"ws": 0},
        {"pm": 0, "pack": 0, "unpack": _NOP["unpack"]},
        _as_nop("unpack"),
        *_PACKS,
        {"signal": Signal.NONE, "raddr_b": _NOP["raddr_b"]},
        {"signal": Signal.NONE},
        *(_as_nop(name) for name in ("raddr_a", "raddr_b", "add_a", "add_b", "mul_a", "mul_b")),
    ),
    LoadWord: (*_RESULTS, {"sf": 0}, {"ws": 0}, *_PACKS, {"mode": 0}, {"immediate": 0}, {"immediate": 1}),
    BranchWord: (
        *(_as_nop(name) for name in ("waddr_add", "waddr_mul")),
        {"condition": BranchCondition.ALWAYS},
        {"register": 0},
    ),
}
_WRITES = (("cond_add", "waddr_add"), ("cond_mul", "waddr_mul"))


def steps(word: int) -> Iterator[Callable[[int], int]]:
    """What to try with `word`, one after the other, the largest steps first; each may leave a word as it is."""
    if word == NOP_WORD:
        return
    layout = decode(word).layout
    yield from (partial(_set, step) for step in _STEPS[layout])
    if layout is not BranchWord:
        yield from (partial(_always_r0, *names) for names in _WRITES)
        yield from (partial(_always, *names) for names in _WRITES)


def _set(step: dict, word: int) -> int:
    """A word with other fields."""
    fields = {name: value for name, value in vars(decode(word)).items() if name not in ("word", "layout")}
    return encode(decode(word).layout, **fields | step)


def _always(condition: str, address: str, word: int) -> int:
    """A result that is written is written always."""
    fields = decode(word)
    return word if getattr(fields, condition) is Condition.NEVER else _set({condition: Condition.ALWAYS}, word)


def _always_r0(condition: str, address: str, word: int) -> int:
    """A result that goes anywhere goes to r0."""
    fields = decode(word)
    is_written = getattr(fields, condition) is not Condition.NEVER and getattr(fields, address) != _NOP[address]
    return _set({condition: Condition.ALWAYS, address: _R0}, word) if is_written else word
