"""The shortest coding of a primitive."""

from dataclasses import dataclass

from amaranth import *
from amaranth.hdl import Shape
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from vc4.records.compressed import ABSOLUTE, BRANCH, CODINGS, COORDINATE_CODINGS, EDGES, END, VERTICES, Coding
from vc4.records.primitives import INDEX_BITS, PrimitiveType

from .list_structs import CHUNK_BYTES, PIECE_BITS

__all__ = ["CodedPrimitive", "PrimitiveCoding"]

_HALF = 16
_MOST = max(VERTICES.values())
_COORDINATE_BYTES = 4


class CodedPrimitive(data.Struct):
    """How a primitive is written.

    whole : all vertices as they are
    length : bytes of it
    data, count : the first ones of a coding
    follows : vertex 0 follows, as it is
    """

    whole: unsigned(1)
    length: unsigned(PIECE_BITS)
    data: unsigned(8 * CHUNK_BYTES)
    count: range(CHUNK_BYTES + 1)
    follows: unsigned(1)


@dataclass(frozen=True)
class _Way:
    """A coding of primitives of these types; all ways of a type stand with the shortest first."""

    types: tuple[PrimitiveType, ...]
    coordinates: bool
    coding: Coding
    edges: tuple[int, ...]

    @property
    def vertices(self) -> int:
        return VERTICES[self.types[0]]

    @property
    def length(self) -> int:
        """Bytes, with a vertex that follows."""
        return self.coding.length + self.coding.vertex_follows * _vertex_bytes(self.coordinates)


def _vertex_bytes(coordinates: bool) -> int:
    return _COORDINATE_BYTES if coordinates else INDEX_BITS // 8


def _fields(coding: Coding) -> dict[str, data.Field]:
    return {name: field for name, field in data.Layout.cast(coding.layout) if not name.startswith("unused")}


def _edges(codings: tuple[Coding, ...], coding: Coding, count: int) -> tuple[int, ...]:
    """Edges with which a first byte can mean this coding. One that stands for the same vertices as one before is of no use."""
    fields = _fields(coding)
    if "edge" not in fields:
        return ()
    found = {}
    for edge, vertices in enumerate(EDGES[count]):
        low = edge << fields["edge"].offset | (coding.value if "code" in fields else 0)
        free = range(0, 256, 1 << fields["edge"].offset + fields["edge"].width)
        if any(_meant(codings, low | high) is coding for high in free):
            found.setdefault(vertices, edge)
    return tuple(found.values())


def _meant(codings: tuple[Coding, ...], first: int) -> Coding | None:
    return next((one for one in codings if first & one.mask == one.value), None)


def _ways() -> list[_Way]:
    """All codings that lists can have, of each type the shortest first."""
    found = []
    for coordinates, table in ((False, CODINGS), (True, COORDINATE_CODINGS)):
        groups: dict[tuple[Coding, ...], list[PrimitiveType]] = {}
        for kind, codings in table.items():
            groups.setdefault(codings, []).append(kind)
        for codings, kinds in groups.items():
            count = VERTICES[kinds[0]]
            ways = [
                _Way(tuple(kinds), coordinates, coding, _edges(codings, coding, count))
                for coding in codings
                if coding.layout
            ]
            found += sorted(ways, key=lambda way: way.length)
    return found


_WAYS = _ways()


def _is_sooner(one: _Way, other: _Way) -> bool:
    """Whether both are of the same lists; the first one stands in front of the other."""
    return (one.types, one.coordinates) == (other.types, other.coordinates)


class PrimitiveCoding(wiring.Component):
    """Chooses how a primitive is written after another one (guide, tables 39 to 43; docs/reference/rendering.md, tile lists:
    primitives; `encode_primitive` of the model).

    Behaviour: a primitive is there two clocks before `choose`. Takes the first vertex of the primitive before, and the two others at once; in the clock after that or later `choose`
    says that all are there. `whole` and `length` stand one clock after that, the rest one clock later, until the next `choose`;
    two vertices of another primitive may come from the clock on in which `length` stands.

    Interface attributes
    --------------------
    type, coordinates, vertices : the primitive; indices have zeros in the upper bits
    previous : two vertices of the primitive before
    first : strobe: the second one of them is vertex 0
    others : strobe: they are vertices 1 and 2
    choose : strobe
    o : what is chosen
    bare : bytes of the primitive as it is
    """

    type: In(PrimitiveType)
    coordinates: In(1)
    vertices: In(data.ArrayLayout(32, _MOST))
    previous: In(data.ArrayLayout(32, 2))
    first: In(1)
    others: In(1)
    choose: In(1)
    o: Out(CodedPrimitive)
    bare: Out(PIECE_BITS)

    def elaborate(self, platform):
        m = Module()
        pair = data.ArrayLayout(_HALF, 2)
        # Of each vertex, x and y: to the vertex before, and to vertex 0.
        self._moved = [Signal(pair, name=f"moved_{number}") for number in range(_MOST)]
        self._away = [Signal(pair, name=f"away_{number}") for number in range(_MOST)]
        # The vertex before with the first number is the vertex with the second one.
        self._same = [[Signal(name=f"same_{old}_{new}") for new in range(_MOST - 1)] for old in range(_MOST)]
        self._subtract(m)
        with m.Switch(self.type):
            for kind, count in VERTICES.items():
                with m.Case(kind):
                    bare = [1 + count * _vertex_bytes(coordinates) for coordinates in (False, True)]
                    m.d.comb += self.bare.eq(Mux(self.coordinates, bare[1], bare[0]))
        chosen = Signal(len(_WAYS))
        length, whole = Signal(PIECE_BITS, name="length"), Signal(name="whole")
        fits, words = zip(*(self._way(m, index, way) for index, way in enumerate(_WAYS)), strict=True)
        right = Signal(len(_WAYS))
        first = Signal(len(_WAYS))
        for index, way in enumerate(_WAYS):
            m.d.comb += right[index].eq(fits[index] & self._is_of(way))
        for index, way in enumerate(_WAYS):
            shorter = [right[other] for other in range(index) if _is_sooner(_WAYS[other], way)]
            m.d.comb += first[index].eq(right[index] & ~Cat(shorter).any())
        with m.If(self.choose):
            m.d.sync += chosen.eq(first)
            lengths = [Mux(first[index], way.length, 0) for index, way in enumerate(_WAYS)]
            m.d.sync += [length.eq(Mux(right.any(), _any_of(lengths), self.bare)), whole.eq(~right.any())]
        chose = Signal()
        m.d.comb += [self.o.whole.eq(whole), self.o.length.eq(length)]
        m.d.sync += chose.eq(self.choose)
        word, count = Signal.like(self.o.data, name="word"), Signal.like(self.o.count, name="count")
        follows = Signal()
        m.d.comb += [self.o.data.eq(word), self.o.count.eq(count), self.o.follows.eq(follows)]
        with m.If(chose):
            m.d.sync += [
                word.eq(_any_of([Mux(chosen[index], word, 0) for index, word in enumerate(words)])),
                count.eq(_any_of([Mux(chosen[index], way.coding.length, 0) for index, way in enumerate(_WAYS)])),
                follows.eq(Cat(chosen[index] for index, way in enumerate(_WAYS) if way.coding.vertex_follows).any()),
            ]
        return m

    def _is_of(self, way):
        return Cat(self.type == kind for kind in way.types).any() & (self.coordinates == way.coordinates)

    def _subtract(self, m):
        """Two differences at a time, x and y, and which vertices are the same."""
        for unit, number in enumerate((1, 2)):
            difference = Signal(data.ArrayLayout(_HALF, 2), name=f"difference_{number}")
            new, known = Signal(32, name=f"new_{number}"), Signal(32, name=f"known_{number}")
            previous = self.previous[unit]
            m.d.comb += [
                known.eq(Mux(self.coordinates, previous, previous[:INDEX_BITS])),
                new.eq(Mux(self.first, self.vertices[0], self.vertices[number]) if number == 2 else self.vertices[1]),
                *_minus(difference, new, known),
            ]
            m.d.sync += _minus(self._away[number], self.vertices[number], self.vertices[0])
            same = [known == vertex for vertex in (self.vertices[0], self.vertices[1])]
            with m.If(self.others):
                m.d.sync += self._moved[number].eq(difference)
                m.d.sync += [self._same[number][other].eq(value) for other, value in enumerate(same)]
            if number == 2:
                with m.If(self.first):
                    m.d.sync += self._moved[0].eq(difference)
                    m.d.sync += [self._same[0][other].eq(value) for other, value in enumerate(same)]

    def _way(self, m, index, way):
        """Whether a coding fits, and its bits."""
        word = Signal(way.coding.layout, name=f"word_{index}")
        fits = []
        for name, field in _fields(way.coding).items():
            width = Shape.cast(field.shape).width
            if name == "code":
                m.d.comb += word[name].eq(way.coding.value)
            elif name == "edge":
                shared = Signal(len(way.edges), name=f"shared_{index}")
                for bit, edge in enumerate(way.edges):
                    pairs = enumerate(EDGES[way.vertices][edge])
                    m.d.comb += shared[bit].eq(Cat(self._same[old][new] for new, old in pairs).all())
                fits.append(shared.any())
                for bit, edge in reversed([*enumerate(way.edges)]):
                    with m.If(shared[bit]):
                        m.d.comb += word.edge.eq(edge)
            else:
                value = self._difference(name)
                m.d.comb += word[name].eq(value)
                if not name.endswith("low"):
                    high = value[width - 1 :]
                    fits.append(high.all() | ~high.any())
        byte = word.as_value()[:8]
        fits.append(~Cat(byte == other for other in (END, ABSOLUTE, BRANCH)).any())
        return Cat(fits).all(), word.as_value()

    def _difference(self, name):
        """That of a field: `delta`, a vertex, perhaps 0 for vertex 0 of the same primitive, perhaps x or y and a part of it."""
        _, vertex, *rest = name.split("_")
        near = rest[:1] == ["0"]
        axis, *part = rest[near:] or ["x"]
        value = (self._away if near else self._moved)[int(vertex)][int(axis == "y")]
        match part:
            case ["high"]:
                return value[1:]
            case ["low"]:
                return value[:1]
        return value


def _minus(difference, new, old):
    """Of x and of y."""
    for half in range(2):
        yield difference[half].eq(new.word_select(half, _HALF) - old.word_select(half, _HALF))


def _any_of(values):
    """All bits of values of which one is not 0."""
    result = values[0]
    for value in values[1:]:
        result = result | value
    return result
