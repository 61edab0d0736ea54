"""Banks: registers of a block that wake up the same other ones lie side by side, so that several are compared, and taken over, at once."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .blocks import Blocks
from .design import Design

__all__ = ["Bank", "banks_of"]

#: Words that are taken over at once, and of a variable in a bank at the most: of others that is so without a bank.
_AT_ONCE = 4
#: Registers of a bank, at the least.
_FEWEST = 3


class Bank(NamedTuple):
    """The block of some registers, the blocks that they wake up, their names, and what they become."""

    number: int
    block: int
    readers: int
    names: Sequence[str]
    followings: Sequence[str]

    @property
    def values(self) -> str:
        """C++ of all of them as an array."""
        return f"values{self.number}"

    @property
    def following(self) -> str:
        """C++ of what all of them become."""
        return f"following{self.number}"

    def members(self) -> str:
        """C++ of both arrays, and of the variables in them."""
        size = -(-len(self.names) // _AT_ONCE) * _AT_ONCE
        return "".join(
            f"    union {{ struct {{ V {', '.join(names)}; }}; std::array<V, {size}> {array}{{}}; }};\n"
            for array, names in ((self.values, self.names), (self.following, self.followings))
        )


def banks_of(design: Design, blocks: Blocks, readers: Mapping[str, int], lanes: int) -> list[Bank]:
    """All of a design; registers that fit in none are left alone."""
    found: dict[tuple[int, int], list[tuple[str, str]]] = defaultdict(list)
    for name, following in _narrow(design, lanes):
        found[blocks.homes[following], readers.get(name, 0)].append((name, following))
    its = [(block, woken, pairs) for (block, woken), pairs in found.items() if len(pairs) >= _FEWEST]
    return [Bank(number, block, woken, *zip(*pairs, strict=True)) for number, (block, woken, pairs) in enumerate(its)]


def _narrow(design: Design, lanes: int) -> Iterator[tuple[str, str]]:
    """Registers of few words with what they become, a variable of their own."""
    if lanes >= _AT_ONCE:
        return
    often: Counter[str] = Counter(register.following for register in design.registers)
    for register in design.registers:
        is_own = often[register.following] == 1 and register.following in design.computed
        if is_own and register.name not in design.wide and register.following not in design.wide:
            yield register.name, register.following
