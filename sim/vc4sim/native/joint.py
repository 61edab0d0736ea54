"""C++ that joins a design to the instances that were taken out of it, which are the lanes of other ones."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..cxxrtl.narrow import Pieces
from ..cxxrtl.rtlil import Chunk, Spec, sliced
from .changes import CHANGED, Statement, guarded
from .code import Code
from .design import Design
from .expression import Expression, word
from .schedule import Links, joint_phases

__all__ = ["Joint", "Side", "lanes_for"]

_Phases = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Side:
    """A design of those that are joined: its name, itself, its ports in pieces, which of them are inputs, and its instances."""

    name: str
    design: Design
    ports: dict[str, Pieces]
    inputs: set[str]
    count: int

    @property
    def lanes(self) -> int:
        return lanes_for(self.count)


def lanes_for(count: int) -> int:
    """A power of two, as types of C++ have it."""
    return 1 << (count - 1).bit_length()


class Joint:
    """A design and parts that hang on it.

    wholes, parts : the phases of the variables of the whole and of each part
    """

    def __init__(self, whole: Side, parts: Sequence[Side]):
        self._seams = [_Seam(whole, part) for part in parts]
        self.wholes, self.parts = joint_phases(
            whole.design, [(seam.part.design, seam.links_to_part(), seam.links_to_whole()) for seam in self._seams]
        )

    def text(self, codes: Sequence[Code]) -> str:
        """A namespace `joints` with a class for the instances of each part, their list `Kinds`, and the number of phases; `codes`
        of the whole and of the parts.
        """
        count = max(phase for phases in (self.wholes, *self.parts) for phase in phases.values()) + 1
        whole, *parts = codes
        classes = [
            seam.text(self.wholes, its, count, whole, part)
            for seam, its, part in zip(self._seams, self.parts, parts, strict=True)
        ]
        names = ", ".join(seam.part.name for seam in self._seams)
        return f"namespace joints {{\nusing namespace lanes;\nconstexpr int PHASES = {count};\n{''.join(classes)}using Kinds = std::tuple<{names}>;\n}}\n"


class _Seam:
    """Between the whole and the instances of a part: their ports are called in the whole as they are, after the part's name
    and a number. Ports of the part that the whole has not got are left alone.
    """

    def __init__(self, whole: Side, part: Side):
        self._whole, self.part = whole, part
        self._given = [port for port in part.ports if port in part.inputs and self._outer(port, 0) in whole.ports]
        self._taken = [port for port in part.ports if port not in part.inputs and self._outer(port, 0) in whole.ports]

    def text(self, wholes: _Phases, parts: _Phases, count: int, whole: Code, part: Code) -> str:
        """A class with all instances: `settle` gives them what is known after a phase of the whole, and it what they make of it, where
        something of that may have changed.

        While nothing that they get changes, and nothing that they keep, they are asleep: all would stay the same.
        """
        gives: list[list[Statement]] = [[] for _ in range(count)]
        takes: list[list[Statement]] = [[] for _ in range(count)]
        for name, values in self._values_for_part():
            reads = {read for value in values for read in value.reads}
            text = f"renew({CHANGED}, design.{name}, V{{{', '.join(value.text for value in values)}}});"
            gives[max(wholes[read] for read in reads)].append(_handed_over(text, reads, name, whole, part))
        for name, value in self._values_for_whole():
            text = f"renew({CHANGED}, whole.{name}, {value.text});"
            takes[max(parts[read] for read in value.reads)].append(_handed_over(text, value.reads, name, part, whole))
        name = self.part.name
        return (
            f"struct {name} {{\n    using V = ::{name}::V;\n    using Instance = ::{name}::Instance;\n    static constexpr size_t COUNT = {self.part.count};\n"
            f"    ::{name}::Design design;\n"
            f"    void settle(::{self._whole.name}::Design &whole, int phase) {{\n{_switch(gives, 'whole', 'design', self.part.name, whole.blocks.seldom)}"
            "        if (design.asleep())\n            return;\n"
            f"        design.settle(phase);\n{_switch(takes, 'design', 'whole', self._whole.name, part.blocks.seldom)}    }}\n}};\n"
        )

    def _outer(self, port: str, number: int) -> str:
        return f"\\{self.part.name}{number}__{port[1:]}"

    def _values_for_part(self) -> Iterator[tuple[str, list[Expression]]]:
        """The variables of the part's inputs, and what each instance gets."""
        for port in self._given:
            for piece, low, width in self.part.ports[port]:
                values = []
                for number in range(self.part.count):
                    spec = _bits(self._whole.ports[self._outer(port, number)], low, width)
                    values.append(_value(spec, self._whole.design, "whole.{}".format))
                yield self.part.design.name(piece), values

    def _values_for_whole(self) -> Iterator[tuple[str, Expression]]:
        """The variables of the whole's inputs, and what they get."""
        for port in self._taken:
            for number in range(self.part.count):
                for piece, low, width in self._whole.ports[self._outer(port, number)]:
                    spec = _bits(self.part.ports[port], low, width)
                    lane = f"lanes::get(design.{{}}, {number})"
                    yield self._whole.design.name(piece), _value(spec, self.part.design, lane.format)

    def links_to_part(self) -> Links:
        return {name: {read for value in values for read in value.reads} for name, values in self._values_for_part()}

    def links_to_whole(self) -> Links:
        return {name: value.reads for name, value in self._values_for_whole()}


def _bits(pieces: Pieces, low: int, width: int) -> Spec:
    return sliced([Chunk(size, piece) for piece, _, size in pieces], low, width)


def _value(spec: Spec, design: Design, place: Callable[[str], str]) -> Expression:
    """The text with the variables in their place; what it reads are the variables as they are called."""
    text = word(spec, lambda wire: place(design.name(wire)), design.width).text
    return Expression(text, frozenset(design.name(chunk.wire) for chunk in spec))


def _handed_over(text: str, reads: Iterable[str], name: str, giver: Code, taker: Code) -> Statement:
    """What a variable of one side is made of these ones of the other side."""
    blocks = sum(1 << block for block in {giver.blocks.homes[read] for read in reads})
    return Statement(blocks, taker.readers.get(name, 0), text)


def _switch(turns: list[list[Statement]], giver: str, taker: str, kind: str, seldom: int) -> str:
    """What is handed over after each phase; `kind` is the name of the side that takes it, `seldom` are blocks of the giver."""
    arms = "".join(
        f"        case {phase}: {{\n    using V = ::{kind}::V;\n{guarded(its, f'{giver}.awake', f'{taker}.woken', seldom)}        break;\n        }}\n"
        for phase, its in enumerate(turns)
        if its
    )
    return f"        switch (phase) {{\n{arms}        }}\n"
