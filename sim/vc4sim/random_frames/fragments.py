"""Random fragment shaders, in chunks of which each can be left out.

What they read they have written: registers at the start, accumulators after a thread switch, and r4 in front of a load are
nobody's. Both halves of a program that switches threads keep to registers of their own thread.
"""

from collections.abc import Callable, Iterator

from vc4.records.state import DepthTest
from vc4.records.stencil import StencilOperation, StencilSetUp, StencilWriteMask

from .textures import SampledTexture, random_texture
from .things import Chunk
from .values import Random

__all__ = ["Fragments"]

_BINARY = (
    *("fadd", "fsub", "fmin", "fmax", "fminabs", "fmaxabs", "add", "sub", "shr", "asr", "ror", "shl", "min", "max"),
    *("and", "or", "xor", "v8adds", "v8subs", "fmul", "mul24", "v8muld", "v8min", "v8max"),
)
_UNARY = ("ftoi", "itof", "not", "clz", "mov")
_CONDITIONS = ("ifz", "ifnz", "ifn", "ifnn", "ifc", "ifnc")
_SPECIAL = ("recip", "recipsqrt", "exp", "log")
#: What lies in registers, once more: accumulators are lost in a switch.
_AGAIN = "mov r0, ra0\nmov r1, rb0\nmov r2, ra1\nmov r3, rb1\n"
_SWITCH = "nop; {}\nnop\nnop\n" + _AGAIN
_FIRST = (
    "mov ra0, unif\nmov rb0, x_coord\nmov ra1, y_coord\nmov rb1, unif\nmov ra2, elem_num\nmov rb2, rb15\nmov ra3, ra15\nmov rb3, ra2\n"
    + _AGAIN
)


class Fragments:
    """Makes the chunks of a shader.

    number : of the shader
    varyings : how many there are
    threaded : it switches threads
    coverage : it reads coverage
    address : of words that lookups may read, `words` of them
    """

    def __init__(
        self, rng: Random, number: int, varyings: int, *, threaded: bool, coverage: bool, address: int, textures: int
    ):
        self._rng, self._number, self._varyings = rng, number, varyings
        self._threaded, self._coverage = threaded, coverage
        self._address, self._textures = address, textures

    def _chunk(self, source: str, *uniforms: int) -> Chunk:
        return Chunk(self._number, source, uniforms)

    @property
    def begin(self) -> Chunk:
        """What it begins with."""
        first, second = (self._rng.choice((self._rng.word(), self._rng.number(-2, 2))) for _ in range(2))
        return self._chunk(_FIRST, first, second)

    @property
    def end(self) -> Chunk:
        """What it ends with."""
        return self._chunk(
            self._rng.choice(
                ("thrend\nnop\nnop; sbdone\n", "thrend\nnop; sbdone\nnop\n", "nop; sbdone\nthrend\nnop\nnop\n")
            )
        )

    def chunks(self) -> Iterator[Chunk]:
        """All that is between."""
        rng = self._rng
        wanted: list[Callable[[], Chunk]] = [self._varying] * rng.mostly(self._varyings, (0, self._varyings + 1), 0.1)
        wanted += [self._compute] * rng.choice((0, 1, 2, 3))
        for maker, probability in (
            *((self._function, 0.15), (self._look_up, 0.15), (self._sample, 0.15), (self._skip, 0.15)),
            *((self._flags, 0.1), (self._discard, 0.1), (self._reverse, 0.05), (self._stencil, 0.2)),
        ):
            if rng.chance(probability):
                wanted.append(maker)
        if self._threaded:
            wanted += [self._switch] * rng.choice((0, 0, 1, 2))
        rng.shuffle(wanted)
        for make in wanted:
            yield make()
        if self._threaded:
            yield self._chunk(_SWITCH.format("lthrsw"))
        if rng.chance(0.2):
            yield self._chunk("nop; sbwait\n")
        yield from self._tile()

    def _tile(self) -> Iterator[Chunk]:
        """The half that goes to the tile buffer."""
        rng = self._rng
        for _ in range(rng.choice((0, 0, 0, 1, 2))):
            yield self._stencil()
        for maker, probability in (
            (self._discard, 0.15),
            (self._reverse, 0.05),
            (self._depth, 0.6),
            (self._flags, 0.2),
        ):
            if rng.chance(probability):
                yield maker()
        for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
            kinds, weights = zip(
                *(
                    (self._colour, 40),
                    (self._blend, 20),
                    (self._sample_write, 15),
                    (self._mask, 8),
                    (self._mask_read, 6),
                ),
                *((self._compute, 8), (self._cover, 60 if self._coverage else 1), (self._discard, 4), (self._depth, 2)),
                strict=True,
            )
            yield rng.choices(kinds, weights)[0]()

    # Chunks that compute.

    def _source(self, file: str) -> str:
        return self._rng.choice(("r0", "r1", "r2", "r3", f"r{file}{self._rng.randrange(4)}"))

    def _into(self) -> str:
        return f"r{self._rng.randrange(4)}"

    def _instruction(self, condition: str = "") -> str:
        rng = self._rng
        if rng.chance(0.2):
            return f"{rng.choice(_UNARY)}{condition} {self._into()}, {self._source(rng.choice('ab'))}\n"
        second = str(rng.randrange(-16, 16)) if rng.chance(0.2) else self._source("b")
        return f"{rng.choice(_BINARY)}{condition} {self._into()}, {self._source('a')}, {second}\n"

    def _compute(self) -> Chunk:
        rng = self._rng
        lines = [self._instruction() for _ in range(rng.randrange(1, 5))]
        if rng.chance(0.4):
            lines += [self._set_flags(), self._instruction("." + rng.choice(_CONDITIONS))]
        if rng.chance(0.3):
            lines.append(f"mov r{rng.choice('ab')}{rng.randrange(4)}, {self._into()}\nnop\n")
        return self._chunk("".join(lines))

    def _set_flags(self) -> str:
        rng = self._rng
        mask = rng.choice((1, 2, 4, 8))
        return rng.choice(
            (
                f"and.setf -, {self._source('a')}, {mask}\n",
                f"mov.setf -, {self._source('a')}\n",
                "fsub.setf -, r0, r1\n",
            )
        )

    def _function(self) -> Chunk:
        return self._chunk(f"mov {self._rng.choice(_SPECIAL)}, {self._into()}\nnop\nnop\nmov {self._into()}, r4\n")

    def _skip(self) -> Chunk:
        rng = self._rng
        body = "".join(self._instruction() for _ in range(rng.randrange(4, 7)))
        condition = rng.choice(("allz", "anyz", "anynn", "alln", "anyc"))
        return self._chunk(f"{self._set_flags()}brr.{condition} -, :skip{{0}}\nnop\nnop\nnop\n{body}skip{{0}}:\nnop\n")

    def _varying(self) -> Chunk:
        rng, into = self._rng, self._into()
        source = f"fmul {into}, vary, ra15\n" if rng.chance(0.6) else f"mov {into}, vary\n"
        source += f"fadd {into}, {into}, r5\n"
        if rng.chance(0.5):
            source += f"ldi r{3 - int(into[1])}, {rng.choice((64.0, 255.0, 4096.0))}\nfmul {into}, {into}, r{3 - int(into[1])}\n"
            source += f"ftoi {into}, {into}\n"
        if rng.chance(0.4):
            source += f"mov r{rng.choice('ab')}{rng.randrange(4)}, {into}\nnop\n"
        return self._chunk(source)

    def _switch(self) -> Chunk:
        return self._chunk(_SWITCH.format("thrsw"))

    # Chunks that look up.

    def _wait(self) -> str:
        """Between a lookup and its result. The other thread may have a result in the same FIFO: two threads take turns."""
        return _SWITCH.format("thrsw") if self._threaded else ""

    def _look_up(self) -> Chunk:
        rng, into = self._rng, self._into()
        unit = rng.randrange(2)
        source = f"and {into}, {into}, 15\nshl {into}, {into}, 2\nadd t{unit}s, {into}, unif\n{self._wait()}"
        address = self._address + rng.randrange(256)
        return self._chunk(f"{source}nop; ldtmu{unit}\nmov {self._into()}, r4\n", address)

    def _sample(self) -> Chunk:
        rng = self._rng
        texture: SampledTexture = random_texture(rng, self._textures)
        unit, letters = rng.randrange(2), "".join(rng.sample("trb", rng.choice((1, 1, 1, 2, 3)))) + "s"
        source = "itof r0, x_coord\nitof r1, y_coord\nldi r2, 0.0625\nfmul r0, r0, r2\nfmul r1, r1, r2\n"
        source += "".join(f"mov t{unit}{letter}, {rng.choice(('r0', 'r1'))}\n" for letter in letters)
        source += self._wait()
        for _ in range(texture.words):
            source += f"nop; ldtmu{unit}\nmov {self._into()}, r4\n"
        return self._chunk(source, *texture.uniforms[: len(letters)])

    # Chunks about flags and tests.

    def _flags(self) -> Chunk:
        return self._chunk(f"nop\nnop\nmov {self._into()}, ms_mask\nmov {self._into()}, rev_flag\n")

    def _discard(self) -> Chunk:
        rng = self._rng
        value = rng.choice(("0", "0", "r2", str(rng.randrange(16))))
        return self._chunk(f"{self._set_flags()}mov.{rng.choice(_CONDITIONS)} ms_mask, {value}\nnop\nnop\n")

    def _reverse(self) -> Chunk:
        rng = self._rng
        return self._chunk(rng.choice(("mov rev_flag, 1\n", "mov rev_flag, 0\n", "mov rev_flag, r1\n")) + "nop\nnop\n")

    def _stencil(self) -> Chunk:
        rng, word = self._rng, self._rng.getrandbits(32)
        if rng.chance(0.9):
            rule = {
                "mask": rng.choice((0xFF, rng.getrandbits(8))),
                "reference": rng.choice((0, 1, rng.getrandbits(8))),
                "function": rng.mostly(DepthTest.ALWAYS, tuple(DepthTest), 0.7),
                **{name: rng.choice(tuple(StencilOperation)) for name in ("stencil_fails", "z_passes", "z_fails")},
            }
            write_mask = rng.choice(tuple(StencilWriteMask))
            word = StencilSetUp.const({"rule": rule, "write_mask": write_mask, "faces": rng.randrange(1, 4)}).as_bits()
        return self._chunk("mov stencil, unif\n", word)

    # Chunks that go to the tile buffer.

    def _conditional(self, what: str, sometimes: float = 0.15) -> str:
        """A write, or one under a condition; `{}` is its place."""
        rng = self._rng
        if rng.chance(sometimes):
            return self._set_flags() + what.format("." + rng.choice(_CONDITIONS))
        return what.format("")

    def _depth(self) -> Chunk:
        value = self._rng.mostly("rb15", ("r0", "r2", "rb3"), 0.15)
        return self._chunk(self._conditional(f"mov{{}} tlbz, {value}\nnop\nnop\n"))

    def _colour(self) -> Chunk:
        rng = self._rng
        if rng.chance(0.1):
            return self._chunk(f"mmov tlbc.8abcdsf, {self._into()}\n")
        return self._chunk(self._conditional(f"mov{{}} tlbc, {self._source(rng.choice('ab'))}\n"))

    def _sample_write(self) -> Chunk:
        count = self._rng.choice((1, 2, 4, 4, 8, 9))
        if self._rng.chance(0.5):
            return self._chunk("".join(f"mov tlbm, {self._into()}\n" for _ in range(count)))
        return self._chunk(
            "nop; loadc\n" + f"{self._rng.choice(('add', 'xor', 'v8adds'))} tlbm, r4, r1; loadc\n" * count
        )

    def _blend(self) -> Chunk:
        rng = self._rng
        source = "nop; loadc\n" + f"mov {self._into()}, r4\n" * rng.bit()
        return self._chunk(
            source + f"{rng.choice(('add', 'v8adds', 'v8subs', 'v8muld', 'or'))} tlbc, r4, r{rng.randrange(4)}\n"
        )

    def _mask(self) -> Chunk:
        return self._chunk(self._conditional(f"mov{{}} tlbam, {self._into()}\n"))

    def _mask_read(self) -> Chunk:
        return self._chunk(f"nop; loadam\nmov {self._into()}, r4\n")

    def _cover(self) -> Chunk:
        return self._chunk(f"nop; loadcv\nmov {self._into()}, r4\n" + "mov tlbc, r4\n" * self._rng.bit())
