"""Random programs that look up memory and textures."""

from collections.abc import Callable

from vc4.isa.ops import AddOp, Condition, Mux, Signal
from vc4.isa.registers import NOP, write_address
from vc4.isa.timing import SWITCH_SLOTS
from vc4.records.tmu import REQUEST_SLOTS, RESULT_SLOTS

from ..asm import assemble
from .member import Member
from .program import UNIFORM_BYTES, Program
from .textures import Texture
from .values import SWITCHES, random_value

__all__ = ["LookupMember", "LookupProgram"]

_SWAP, _MOVE = write_address("tmu_noswap"), write_address("unif_addr")
#: Lookups of a program that are under way at once, at the most.
_MOST_LOOKUPS = 10
#: What threads share, each of the two may use half of.
_THREADS = 2
#: A number for each element, in r0.
_ELEMENTS = assemble("itof r0, elem_num").words
_SCALE = assemble("fmul r0, r0, r1").words
_SLOPES = (AddOp.FADD, AddOp.FSUB, AddOp.FMIN, AddOp.FMAX, AddOp.FMAXABS)


class _UnderWay:
    """What is asked for and not loaded, as if it were all of one unit.

    A lookup leaves its slots when there is room for its words, after those that are not loaded.
    """

    def __init__(self, *, alone: bool):
        self._alone = alone
        self._loaded = 0
        self._asked = 0
        # Of each lookup the slots that it has, and how many words are asked for with it.
        self._lookups: list[tuple[int, int]] = []
        # The unit of each word.
        self.units: list[int] = []

    def fits(self, slots: int, words: int) -> bool:
        """Whether one more lookup waits for nothing that would have to be loaded before."""
        if not self._alone:
            return self._asked + words - self._loaded <= RESULT_SLOTS // _THREADS
        waiting = sum(slots for slots, end in self._lookups if end - self._loaded > RESULT_SLOTS)
        return waiting + slots <= REQUEST_SLOTS

    def ask(self, unit: int, slots: int, words: int) -> None:
        """One more lookup."""
        self._asked += words
        self._lookups.append((slots, self._asked))
        self.units += [unit] * words

    def load(self) -> int:
        """The unit of the next word."""
        self._loaded += 1
        return self.units.pop(0)


class LookupProgram(Program):
    """A random program on a QPU with texture units, of which it asks for words of memory and for texels.

    It loads all that it asks for.
    """

    def _kinds(self) -> list[tuple[Callable[[], None], int]]:
        return [*super()._kinds(), (self._look_up, 5)]

    def _look_up(self) -> None:
        """A few lookups and loads of what they bring, in a unit or in both; before them the swap may change."""
        random_ = self._random
        self._settle()
        if random_.random() < 0.3:
            self._fixed(self._make.constant(_SWAP, 0, random_.choice((0, 1, random_value(random_)))))
        under_way = _UnderWay(alone=self._alone)
        left = random_.randrange(1, _MOST_LOOKUPS)
        while left or under_way.units:
            if left and (not under_way.units or random_.random() < 0.6) and self._ask(under_way):
                left -= 1
            else:
                self._fixed(self._make.load_lookup(under_way.load()))
            while random_.random() < 0.3:
                self._plain()
            if random_.random() < 0.05:
                self._fixed(self._make.alu(signal=random_.choice(SWITCHES)))
                for _ in range(SWITCH_SLOTS):
                    self._plain()

    def _ask(self, under_way: _UnderWay) -> bool:
        """A lookup, if there is room for it."""
        random_ = self._random
        unit = random_.randrange(2)
        if random_.random() < 0.4:
            if not under_way.fits(1, 1):
                return False
            under_way.ask(unit, 1, 1)
            self._fixed(self._of_memory(unit))
            return True
        texture = random_.choice(self._place.textures)
        letters = self._letters()
        if not under_way.fits(len(letters), texture.words):
            return False
        under_way.ask(unit, len(letters), texture.words)
        self._sample(unit, texture, letters)
        return True

    def _of_memory(self, unit: int) -> int:
        """A lookup of one address in the uniforms, or of whatever addresses."""
        if self._random.random() < 0.5 or self._place.beside:
            address = self._place.uniforms + self._random.randrange(UNIFORM_BYTES)
            return self._make.constant(write_address(f"t{unit}s"), 0, address)
        return self._make.parameter(unit, "s")

    def _letters(self) -> str:
        """The parameters of a texture in any order, s as the last; seldom one is written twice."""
        random_ = self._random
        if random_.random() < 0.1:
            return "".join(random_.choices("trb", k=random_.randrange(1, REQUEST_SLOTS))) + "s"
        return "".join(random_.sample("trb", random_.choice((1, 1, 2, 3)))) + "s"

    def _sample(self, unit: int, texture: Texture, letters: str) -> None:
        """A lookup of a texture. Nothing in between takes its uniforms."""
        random_ = self._random
        if random_.random() < 0.6:
            self._slope()
        self._fixed(self._make.constant(_MOVE, 0, texture.uniforms))
        for letter in letters:
            while random_.random() < 0.2:
                self.words.append(self._make.quiet())
            self._fixed(self._parameter(unit, letter))

    def _slope(self) -> None:
        """A coordinate in r0 that grows with each element, and one in r1."""
        first, step = (self._make.constant(write_address("r1"), 0, self._coordinate(low)) for low in (122, 110))
        self.words += [*_ELEMENTS, step, *_SCALE, first]

    def _coordinate(self, low: int = 122) -> int:
        """A float, 2^(low - 127) and up to 8."""
        random_ = self._random
        return random_.getrandbits(1) << 31 | random_.randrange(low, 130) << 23 | random_.getrandbits(23)

    def _parameter(self, unit: int, letter: str) -> int:
        """A parameter: of a slope, one for all elements, or whatever comes."""
        random_ = self._random
        register, kind = write_address(f"t{unit}{letter}"), random_.random()
        if kind < 0.5:
            operands = {"add_a": Mux.R0, "add_b": random_.choice((Mux.R0, Mux.R1)), "op_add": random_.choice(_SLOPES)}
            result = {"waddr_add": register, "cond_add": Condition.ALWAYS, "waddr_mul": NOP, "ws": 0, "pack": 0}
            return self._make.alu(signal=Signal.NONE, **operands, **result)
        if kind < 0.7:
            return self._make.constant(register, 0, random_.choice((self._coordinate(), random_value(random_))))
        return self._make.parameter(unit, letter)


class LookupMember(LookupProgram, Member):
    """A random program with lookups, one of several that run on QPUs with texture units."""
