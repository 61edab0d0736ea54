"""The text of a design: a class whose members are its variables."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..cxxrtl.cuts import WORD
from ..cxxrtl.narrow import Pieces
from ..cxxrtl.rtlil import Chunk
from .design import Design
from .expression import mask, words

__all__ = ["PUBLIC", "Code", "accessors", "code"]

#: In front of the names that somebody gave.
PUBLIC = "\\"
#: Statements of one function.
_FUNCTION = 1000


@dataclass(frozen=True, slots=True)
class Code:
    """C++ of a design: `header` declares its classes, in a namespace, and `source` has their functions."""

    header: str
    source: str


def code(design: Design, name: str, lanes: int, phases: Mapping[str, int]) -> Code:
    """The class `Design` in the namespace `name`, with a member for each variable that lives longer than a function.

    `settle` computes all variables of a phase, and `commit` gives registers and memories what they become. Where nothing has
    changed, neither in `commit` nor of the inputs, all stays as it is: `woken` is the first phase that was settled since then, and
    only what depends on it and on later ones is committed. `failure` says which check fails. An `Instance` is one lane of it.
    """
    count = max(phases.values(), default=0) + 1
    computed = [
        [one for one, its in phases.items() if its == phase and one in design.computed] for phase in range(count)
    ]
    functions = [
        (phase, statements[first : first + _FUNCTION])
        for phase, statements in enumerate(computed)
        for first in range(0, len(statements), _FUNCTION)
    ]
    members = _members(design, [statements for _, statements in functions])
    calls: list[list[str]] = [[] for _ in range(count)]
    bodies = []
    for number, (phase, statements) in enumerate(functions):
        calls[phase].append(f"part{number}();")
        bodies.append(f"void Design::part{number}() {{\n{''.join(_statements(design, statements, members))}}}\n")
    header = (
        f"namespace {name} {{\nusing V = lanes::Vector<{lanes}>::type;\nconstexpr int PHASES = {count};\n"
        "struct Design {\n"
        f"    V {', '.join(f'{member}{{}}' for member in members)};\n"
        + "".join(f"    std::array<V, {array.size}> {array.name}{{}};\n" for array in design.arrays.values())
        + "    static constexpr int ASLEEP = 1 << 16;\n    int woken = 0;\n    Design();\n    void settle(int phase);\n    void commit();\n    const char *failure() const;\nprivate:\n"
        + "".join(f"    void part{number}();\n" for number in range(len(functions)))
        + "};\nstruct Instance {\n    const Design &design;\n    size_t lane;\n"
        "    Instance(const Design &design, size_t lane = 0) : design(design), lane(lane) {}\n};\n}\n"
    )
    cases = "".join(f"    case {phase}: {' '.join(parts)} break;\n" for phase, parts in enumerate(calls))
    source = (
        f"namespace {name} {{\nusing namespace lanes;\nstatic inline V k(uint32_t word) {{ return V{{}} + word; }}\n"
        f"{''.join(bodies)}"
        f"Design::Design() {{\n{''.join(_inits(design))}}}\n"
        f"void Design::settle(int phase) {{\n    woken = std::min(woken, phase);\n    switch (phase) {{\n{cases}    }}\n}}\n"
        f"void Design::commit() {{\n    V changed{{}};\n{''.join(_commits(design, phases))}"
        "    woken = any(changed) ? 0 : ASLEEP;\n}\n"
        f"const char *Design::failure() const {{\n{_failures(design)}    return nullptr;\n}}\n}}\n"
    )
    return Code(header, source)


def _members(design: Design, functions: Sequence[Sequence[str]]) -> list[str]:
    """The variables that live longer than a function, in the order in which they are used."""
    home = {name: number for number, names in enumerate(functions) for name in names}
    lasting = dict.fromkeys(design.wanted())
    for number, names in enumerate(functions):
        for name in names:
            lasting |= dict.fromkeys(read for read in sorted(design.computed[name].reads) if home.get(read) != number)
    lasting |= dict.fromkeys(register.name for register in design.registers)
    lasting |= dict.fromkeys(read.result for read in design.reads)
    return list(lasting | dict.fromkeys([*design.ports("input"), *design.ports("output")]))


def _statements(design: Design, names: Sequence[str], members: Sequence[str]) -> Iterator[str]:
    lasting = set(members)
    for name in names:
        yield f"    {'' if name in lasting else 'V '}{name} = {design.computed[name].text};\n"


def _inits(design: Design) -> Iterator[str]:
    for register in design.registers:
        if register.init:
            yield f"    {register.name} = k({register.init:#x}u);\n"
    for array in design.arrays.values():
        for address, value in array.init.items():
            yield f"    {array.name}[{address}] = k({value:#x}u);\n"


def _commits(design: Design, phases: Mapping[str, int]) -> Iterator[str]:
    """What is committed, and behind which phase: a word of a memory is read before or after it may be written."""

    def behind(*names: str) -> int:
        return max((phases.get(name, 0) for name in names), default=0)

    writes: dict[str, int] = {}
    for write in design.writes:
        phase = behind(write.address, write.bits, write.data)
        writes[write.memory] = max(phase, writes.get(write.memory, 0))

    def reads(late: bool) -> Iterator[tuple[int, str]]:
        for read in design.reads:
            if read.late == late:
                phase = max(behind(read.address, read.enable), writes.get(read.memory, 0) if late else 0)
                found = f"load({read.memory}, {read.address})"
                yield phase, f"renew(changed, {read.result}, mux({read.enable}, {read.result}, {found}));"

    yield from _guarded(reads(False))
    yield from _guarded(
        (
            behind(write.address, write.bits, write.data),
            f"store({write.memory}, {write.address}, {write.bits}, {write.data}); changed |= {write.bits};",
        )
        for write in design.writes
    )
    yield from _guarded(reads(True))
    yield from _guarded(
        (behind(register.following), f"renew(changed, {register.name}, {register.following});")
        for register in design.registers
    )


def _guarded(statements: Iterable[tuple[int, str]]) -> Iterator[str]:
    """Statements that are needed if their phase has been settled."""
    by_phase: dict[int, list[str]] = defaultdict(list)
    for phase, text in statements:
        by_phase[phase].append(text)
    for phase, texts in by_phase.items():
        lines = "".join(f"        {text}\n" for text in texts)
        yield f"    if (woken <= {phase}) {{\n{lines}    }}\n"


def _failures(design: Design) -> str:
    if not design.checks:
        return ""
    all_of_them = " | ".join(check.fails for check in design.checks)
    each = "".join(f"    if (any({check.fails}))\n        return {check.text};\n" for check in design.checks)
    return f"    if (!any({all_of_them}))\n        return nullptr;\n{each}"


def accessors(design: Design, ports: dict[str, Pieces], inputs: set[str], name: str) -> str:
    """A namespace `name`_ports with a function for each port, of arrays of words, the lowest first.

    An output `x` is read by `x(instance)`, one of `inputs` is written by `x(design, words, lane)`.
    """
    functions = [
        _setter(design, port, pieces) if port in inputs else _getter(design, port, pieces)
        for port, pieces in ports.items()
    ]
    return f"namespace {name}_ports {{\nusing namespace {name};\nusing lanes::get;\nusing lanes::set;\n{''.join(functions)}}}\n"


def _array(pieces: Pieces) -> str:
    _, low, width = pieces[-1]
    return f"std::array<uint32_t, {-(-(low + width) // WORD)}>"


def _getter(design: Design, port: str, pieces: Pieces) -> str:
    def names(wire: str) -> str:
        return f"get(one.design.{design.name(wire)}, one.lane)"

    values = words([Chunk(width, piece) for piece, _, width in pieces], names, design.width)
    return (
        f"inline {_array(pieces)} {port.removeprefix(PUBLIC)}(Instance one) "
        f"{{ return {{{', '.join(value.text for value in values)}}}; }}\n"
    )


def _setter(design: Design, port: str, pieces: Pieces) -> str:
    lines = []
    for piece, low, width in pieces:
        word, shift = divmod(low, WORD)
        value = f"words[{word}] >> {shift}"
        if shift + width > WORD:
            value = f"({value} | words[{word + 1}] << {WORD - shift})"
        lines.append(f"set(design.{design.name(piece)}, lane, {value} & {mask(width):#x}u);")
    return (
        f"inline void {port.removeprefix(PUBLIC)}(Design &design, const {_array(pieces)} &words, size_t lane = 0) "
        f"{{ {' '.join(lines)} }}\n"
    )
