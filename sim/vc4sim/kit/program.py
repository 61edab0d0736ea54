"""Programs that most questions need: sixteen cases of an operation at once, or some rows of results."""

from collections.abc import Callable, Mapping, Sequence

from vc4.isa.ops import Signal
from vc4.isa.registers import ELEMENTS
from vc4.isa.word import AluWord

from .image import ANSWER, Address, program_image
from .question import Candidate, Question

__all__ = ["END", "NOTHING", "R3", "VECTORS", "begun", "cases", "loaded", "rows", "stored", "vector", "word"]

#: The last instructions of every program.
END = "thrend\nnop\nnop\n"
#: A set-up of vectors, words along rows, one after the other, and the one of a store of a row of sixteen words.
VECTORS = 0x1A00
_STORE, _ROW_UNIT, _FIRST_ROW = 0x8010_4000, 1 << 23, 1 << 7


#: Addresses of r3, and of nothing.
R3, NOTHING = 35, 39


def word(**fields: object) -> str:
    """An instruction that the language has no statement for: fields of `AluWord`; what is not said is that of a nop."""
    nothing = dict.fromkeys(("waddr_add", "waddr_mul", "raddr_a", "raddr_b"), NOTHING)
    return f".long {AluWord.const(nothing | {'signal': Signal.NONE} | fields).as_bits():#x}\n"


def begun() -> str:
    """Two instructions that do nothing, as the first ones may not use a texture unit, and the set-up of vectors from row 0 on."""
    return f"nop\nnop\nldi vw_setup, {VECTORS:#x}\n"


def stored(count: int, first: int = 0) -> str:
    """Instructions that store rows of the VPM, from `first` on, to where the next uniform says, and end."""
    setup = _STORE + count * _ROW_UNIT + first * _FIRST_ROW
    return f"ldi vw_setup, {setup:#x}\nmov vw_addr, unif\nread vw_wait\n{END}"


def vector(values: Sequence[int]) -> bytes:
    """Sixteen words; the last one again and again, if there are fewer."""
    padded = [*values, *[values[-1]] * (ELEMENTS - len(values))]
    return b"".join((value & 0xFFFF_FFFF).to_bytes(4, "little") for value in padded)


def cases(
    name: str,
    asks: str,
    page: str,
    body: str,
    operands: Sequence[int | tuple[int, ...]],
    rules: Mapping[str, Callable[..., int | tuple[int, ...]]],
) -> Question:
    """A question about an operation on up to sixteen cases at once.

    body : finds the operands in r1, r2 and so on, and writes the results to `vpm`, one vector after the other
    operands : of each case
    rules : the result of a case, or the results, by each candidate
    """
    columns = [*zip(*(one if isinstance(one, tuple) else (one,) for one in operands), strict=True)]
    load, uniforms, buffers = loaded(columns)
    answers = {rule: _results(function, columns) for rule, function in rules.items()}
    return rows(name, asks, page, load + body, answers, uniforms=uniforms, buffers=buffers)


def loaded(columns: Sequence[Sequence[int]]) -> tuple[str, list[Address], dict[str, bytes]]:
    """Instructions that load up to three vectors to r1, r2 and r3, the uniforms that they take, and buffers."""
    buffers = {f"operands {number}": vector(column) for number, column in enumerate(columns, 1)}
    load = "".join(f"add t0s, r0, unif\nnop; ldtmu0\nmov r{number}, r4\n" for number in range(1, len(columns) + 1))
    return f"shl r0, elem_num, 2\n{load}", [*map(Address, buffers)], buffers


def _results(rule: Callable[..., int | tuple[int, ...]], columns: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Rows of results."""
    results = [one if isinstance(one, tuple) else (one,) for one in map(rule, *columns)]
    results += [results[-1]] * (ELEMENTS - len(results))
    return [*zip(*results, strict=True)]


def rows(
    name: str,
    asks: str,
    page: str,
    body: str,
    answers: Mapping[str, Sequence[Sequence[int]]],
    *,
    uniforms: Sequence[int | Address] = (),
    buffers: Mapping[str, bytes] | None = None,
    first: int = 0,
    breaks: Sequence[str] = (),
) -> Question:
    """A question whose answer is some rows of the VPM.

    body : takes `uniforms`, and leaves the answer in the VPM, from row `first` on
    answers : the rows that each candidate gives, sixteen words each
    breaks : see `Question`
    """
    candidates = tuple(
        Candidate(rule, tuple(word & 0xFFFF_FFFF for row in found for word in row)) for rule, found in answers.items()
    )
    count = len(next(iter(answers.values())))
    source = f"{begun()}{body}{stored(count, first)}"
    image = program_image(source, [*uniforms, ANSWER], count * ELEMENTS, buffers)
    return Question(
        name=name,
        asks=asks,
        page=page,
        image=image,
        source=source,
        candidates=candidates,
        breaks=frozenset(breaks),
    )
