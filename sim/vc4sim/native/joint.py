"""C++ that joins a design to the instances that were taken out of it, which are the lanes of another one."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..cxxrtl.narrow import Pieces
from ..cxxrtl.rtlil import Chunk, Spec, sliced
from .design import Design
from .expression import Expression, word
from .schedule import Links, phases_of_two

__all__ = ["Joint", "Side"]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: what it is called, what it is, its ports in pieces, and which of them are inputs."""

    name: str
    design: Design
    ports: dict[str, Pieces]
    inputs: set[str]


class Joint:
    """The ports of `count` instances of `part`: those of `whole` are called as they are, behind `part`'s name and a number.

    Ports of the part that the whole has not got are left alone. wholes, parts : the phases of the variables of both.
    """

    def __init__(self, whole: Side, part: Side, count: int):
        self._whole, self._part, self._count = whole, part, count
        self._given = [port for port in part.ports if port in part.inputs and self._outer(port, 0) in whole.ports]
        self._taken = [port for port in part.ports if port not in part.inputs and self._outer(port, 0) in whole.ports]
        self.wholes, self.parts = phases_of_two(
            whole.design, part.design, self._links_to_part(), self._links_to_whole()
        )

    def text(self) -> str:
        """A namespace `joints`: `give` and `take` move what is known after a phase to the part and to the whole."""
        count = max(*self.wholes.values(), *self.parts.values()) + 1
        gives: list[list[str]] = [[] for _ in range(count)]
        takes: list[list[str]] = [[] for _ in range(count)]
        for name, values in self._values_for_part():
            phase = max(self.wholes[read] for value in values for read in value.reads)
            gives[phase] += [f"lanes::set(part.{name}, {lane}, {value.text});" for lane, value in enumerate(values)]
        for _, name, value in self._values_for_whole():
            takes[max(self.parts[read] for read in value.reads)].append(f"whole.{name} = {value.text};")
        whole, part = (f"{side.name}::Design" for side in (self._whole, self._part))
        return (
            f"namespace joints {{\nconstexpr size_t COUNT = {self._count};\nconstexpr int PHASES = {count};\n"
            f"inline void give(const {whole} &whole, {part} &part, int phase) {{\n{_switch(gives)}}}\n"
            f"inline void take({whole} &whole, const {part} &part, int phase) {{\n{_switch(takes)}}}\n}}\n"
        )

    def _outer(self, port: str, number: int) -> str:
        return f"\\{self._part.name}{number}__{port[1:]}"

    def _values_for_part(self) -> Iterator[tuple[str, list[Expression]]]:
        """The variables of the part's inputs, and what each instance gets."""
        for port in self._given:
            for piece, low, width in self._part.ports[port]:
                values = []
                for number in range(self._count):
                    spec = _bits(self._whole.ports[self._outer(port, number)], low, width)
                    values.append(_value(spec, self._whole.design, "whole.{}".format))
                yield self._part.design.name(piece), values

    def _values_for_whole(self) -> Iterator[tuple[int, str, Expression]]:
        """For each instance, the variables of the whole's inputs, and what they get."""
        for port in self._taken:
            for number in range(self._count):
                for piece, low, width in self._whole.ports[self._outer(port, number)]:
                    spec = _bits(self._part.ports[port], low, width)
                    lane = f"lanes::get(part.{{}}, {number})"
                    yield number, self._whole.design.name(piece), _value(spec, self._part.design, lane.format)

    def _links_to_part(self) -> Links:
        return {name: {read for value in values for read in value.reads} for name, values in self._values_for_part()}

    def _links_to_whole(self) -> Links:
        return {name: value.reads for _, name, value in self._values_for_whole()}


def _bits(pieces: Pieces, low: int, width: int) -> Spec:
    return sliced([Chunk(size, piece) for piece, _, size in pieces], low, width)


def _value(spec: Spec, design: Design, place: Callable[[str], str]) -> Expression:
    """The text with the variables in their place; what it reads are the variables as they are called."""
    text = word(spec, lambda wire: place(design.name(wire)), design.width).text
    return Expression(text, frozenset(design.name(chunk.wire) for chunk in spec))


def _switch(cases: list[list[str]]) -> str:
    arms = "".join(
        f"    case {phase}:\n        {' '.join(lines)}\n        break;\n" for phase, lines in enumerate(cases)
    )
    return f"    switch (phase) {{\n{arms}    }}\n"
