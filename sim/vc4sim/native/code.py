"""The text of a design: a class whose members are its variables."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from ..cxxrtl.cuts import WORD
from ..cxxrtl.narrow import Pieces
from ..cxxrtl.rtlil import Chunk
from .activity import activity_of, labels_of, recorded_in
from .banks import Bank, banks_of
from .blocks import Blocks, bits
from .changes import CHANGED, Statement, guarded
from .clusters import by_activity, possible_gates
from .commit import commit_text, constant
from .design import Design
from .expression import PUBLIC, mask, words
from .hierarchy import by_hierarchy
from .schedule import Step, steps

__all__ = ["Code", "accessors", "code"]

#: Variables of a design that is cut by what is known of changes, at the most. A larger one, like all that draws, is cut into so many
#: steps then that it takes longer.
_CUT_FINELY = 20_000
#: Statements of one function.
_FUNCTION = 1000
#: Variables of one class: a compiler compares the name of each with all others of its class.
_CLASS = 250
#: Characters of the functions of one source, about.
_SOURCE = 300_000


@dataclass(frozen=True, slots=True)
class Code:
    """C++ of a design: `header` declares its classes, in a namespace, and `sources` have their functions, which can be compiled side
    by side.

    blocks : where things are done
    readers : by variable, a bit for each block that it wakes up
    """

    header: str
    sources: tuple[str, ...]
    blocks: Blocks
    readers: Mapping[str, int]


def code(design: Design, name: str, lanes: int, phases: Mapping[str, int]) -> Code:
    """The class `Design` in the namespace `name`, with a member for each variable that lives longer than a step.

    `settle` computes all variables of a phase, and `commit` gives registers and memories what they become, both only in blocks
    that are `awake`: something has changed that they depend on, in this clock or in the commit before. Whoever changes an input adds
    its readers to `woken`. `failure` says which check fails. An `Instance` is one lane of the design.
    """
    activity = activity_of(name, lanes) if len(design.computed) <= _CUT_FINELY else None
    blocks = by_activity(design, phases, lanes, activity) if activity else by_hierarchy(design, phases)
    # No compiler likes long functions.
    parts = [
        Step(step.phase, step.block, step.names[first : first + _FUNCTION])
        for step in steps(design, phases, blocks.homes)
        for first in range(0, len(step.names), _FUNCTION)
    ]
    readers = blocks.readers
    noted = _noted(design, phases) if recorded_in() and len(design.computed) <= _CUT_FINELY else {}
    members = _members(design, parts, readers, noted)
    banks = banks_of(design, blocks, readers, lanes)
    lasting = set(members)
    calls: dict[int, list[str]] = defaultdict(list)
    bodies = []
    for number, together in enumerate(_together(parts)):
        text = "".join(
            guarded(_statements(design, part, lasting, readers), "awake", "awake", blocks.seldom) for part in together
        )
        calls[together[0].phase].append(f"        part{number}();\n")
        bodies.append(f"void Design::part{number}() {{\n{text}}}\n")
    private = [f"void part{number}();" for number in range(len(bodies))]
    cases = "".join(f"    case {phase}:\n{''.join(lines)}        break;\n" for phase, lines in calls.items())
    bodies += [
        f"Design::Design() {{\n{''.join(_inits(design))}}}\n",
        f"void Design::settle(int phase) {{\n    awake |= woken;\n    woken = 0;\n    if (!phase)\n        fails = V{{}};\n    switch (phase) {{\n{cases}    }}\n}}\n",
        f"void Design::commit() {{\n{'record();' * bool(noted)}    const Blocks due = awake;\n    awake = 0;\n{commit_text(design, blocks, readers, banks)}}}\n",
        f"const char *Design::failure() const {{\n{_failures(design)}    return nullptr;\n}}\n",
    ]
    if noted:
        file = json.dumps(f"{recorded_in()}/{name}{lanes}")
        private += [f"Recorder recorder{{{file}}};", "void record();"]
        bodies.append(f"void Design::record() {{\n{''.join(_notes(noted))}    recorder.end();\n}}\n")
    classes = _kinds(design, lanes), _classes(design, members, banks)
    header = _header(name, *classes, max(calls, default=0) + 1, private)
    return Code(header, tuple(_sources(name, bodies)), blocks, readers)


def _header(name: str, kinds: str, classes: str, phases: int, private: Iterable[str]) -> str:
    """What others see of a design, after the types of its variables and the head of its class."""
    lines = "".join(f"    {line}\n" for line in private)
    return f"""\
namespace {name} {{
{kinds}constexpr int PHASES = {phases};
inline V k(uint32_t word) {{ return V{{}} + word; }}
{classes} {{
    lanes::Blocks awake = ~lanes::Blocks(0), woken = 0;
    Design();
    void settle(int phase);
    void commit();
    bool asleep() const {{ return !(awake | woken); }}
    const char *failure() const;
private:
    V fails{{}};
{lines}}};
struct Instance {{
    const Design &design;
    size_t lane;
    Instance(const Design &design, size_t lane = 0) : design(design), lane(lane) {{}}
}};
}}
"""


def _notes(noted: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for name, labels in noted.items():
        yield from (f"    recorder.note({json.dumps(label)}, {name});\n" for label in labels)


def _noted(design: Design, phases: Mapping[str, int]) -> dict[str, list[str]]:
    """The variables and memories of which it is recorded whether they change, with their labels."""
    labels = labels_of(design, phases)
    sources = [name for name in (*phases, *_memories(design)) if name not in design.computed]
    return {name: labels[name] for name in (*sources, *possible_gates(design, phases)) if name in labels}


def _memories(design: Design) -> list[str]:
    return [array.name for array in design.arrays.values()]


def _together(parts: Sequence[Step]) -> Iterator[list[Step]]:
    """Steps of a phase that are one function."""
    together: list[Step] = []
    for part in parts:
        if together and (
            part.phase != together[0].phase or sum(len(one.names) for one in (*together, part)) > _FUNCTION
        ):
            yield together
            together = []
        together.append(part)
    if together:
        yield together


def _kinds(design: Design, lanes: int) -> str:
    """The types of variables, with parts for all lanes."""
    counts = {1: ""} | {count: str(count) for count in sorted(set(design.wide.values()))}
    return "".join(
        f"using V{name} = lanes::Vector<{lanes << (count - 1).bit_length()}>::type;\n" for count, name in counts.items()
    )


def _classes(design: Design, members: Sequence[str], banks: Sequence[Bank]) -> str:
    """Classes with all variables and memories, and the head of the class `Design`, which has what they have."""
    banked = {name for bank in banks for name in (*bank.names, *bank.followings)}
    lines = [f"    {design.kind(member)} {member}{{}};\n" for member in members if member not in banked]
    lines += [bank.members() for bank in banks]
    lines += [f"    std::array<V, {array.size}> {array.name}{{}};\n" for array in design.arrays.values()]
    bodies = ["".join(lines[first : first + _CLASS]) for first in range(0, len(lines), _CLASS)]
    classes = "".join(f"struct Variables{number} {{\n{body}}};\n" for number, body in enumerate(bodies))
    bases = ", ".join(f"Variables{number}" for number in range(len(bodies)))
    return f"{classes}struct Design{' : ' * bool(bases)}{bases}"


def _sources(name: str, functions: Iterable[str]) -> Iterator[str]:
    """Functions in pieces that a compiler takes some seconds for."""
    pieces = [""]
    for function in functions:
        if len(pieces[-1]) + len(function) > _SOURCE:
            pieces.append("")
        pieces[-1] += function
    for piece in pieces:
        yield f"namespace {name} {{\nusing namespace lanes;\n{piece}}}\n"


def _members(design: Design, parts: Sequence[Step], readers: Mapping[str, int], noted: Iterable[str]) -> list[str]:
    """The variables that live longer than a step, in the order in which they are used."""
    home = {name: number for number, part in enumerate(parts) for name in part.names}
    lasting = dict.fromkeys([*design.wanted(), *noted])
    for number, part in enumerate(parts):
        lasting |= dict.fromkeys(name for name in part.names if _others(name, part.block, readers))
        for name in part.names:
            lasting |= dict.fromkeys(read for read in sorted(design.computed[name].reads) if home.get(read) != number)
    lasting |= dict.fromkeys(register.name for register in design.registers)
    lasting |= dict.fromkeys(read.result for read in design.reads)
    lasting |= dict.fromkeys([*design.ports("input"), *design.ports("output")])
    memories = set(_memories(design))
    return [name for name in lasting if name not in memories]


def _others(name: str, block: int, readers: Mapping[str, int]) -> int:
    """The blocks that a variable wakes up, besides its own."""
    return readers.get(name, 0) & ~(1 << block)


def _statements(design: Design, step: Step, lasting: Set[str], readers: Mapping[str, int]) -> Iterator[Statement]:
    """What other blocks depend on wakes them up if it changes."""
    own = 1 << step.block
    checked = {check.fails for check in design.checks}
    for name in step.names:
        text = design.computed[name].text
        others = _others(name, step.block, readers)
        if others:
            yield Statement(own, others, f"renew({CHANGED}, {name}, {text});", design.kind(name))
        else:
            kind = "" if name in lasting else "const auto "
            yield Statement(own, 0, f"{kind}{name} = {text};")
        if name in checked:
            yield Statement(own, 0, f"fails |= {name};")


def _inits(design: Design) -> Iterator[str]:
    for register in design.registers:
        if any(register.inits):
            yield f"    {register.name} = {constant(design.kind(register.name), register.inits)};\n"
    for array in design.arrays.values():
        for address, value in array.init.items():
            yield f"    {array.name}[{address}] = k({value:#x}u);\n"


def _failures(design: Design) -> str:
    """A check that does not fail does not, while it sleeps."""
    each = "".join(f"    if (any({check.fails}))\n        return {check.text};\n" for check in design.checks)
    return f"    if (!any(fails))\n        return nullptr;\n{each}"


def accessors(design: Design, ports: dict[str, Pieces], inputs: set[str], name: str, readers: Mapping[str, int]) -> str:
    """A namespace `name`_ports with a function for each port, of arrays of words, the lowest first.

    An output `x` is read by `x(instance)`, one of `inputs` is written by `x(design, words, lane)`.
    """
    functions = [
        _setter(design, port, pieces, readers) if port in inputs else _getter(design, port, pieces)
        for port, pieces in ports.items()
    ]
    return f"namespace {name}_ports {{\nusing namespace {name};\nusing lanes::get;\nusing lanes::give;\n{''.join(functions)}}}\n"


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


def _setter(design: Design, port: str, pieces: Pieces, readers: Mapping[str, int]) -> str:
    lines = []
    for piece, low, width in pieces:
        word, shift = divmod(low, WORD)
        value = f"words[{word}] >> {shift}"
        if shift + width > WORD:
            value = f"({value} | words[{word + 1}] << {WORD - shift})"
        name = design.name(piece)
        wakes = f"design.woken, {bits(readers.get(name, 0))}"
        lines.append(f"give({wakes}, design.{name}, lane, {value} & {mask(width):#x}u);")
    return (
        f"inline void {port.removeprefix(PUBLIC)}(Design &design, const {_array(pieces)} &words, size_t lane = 0) "
        f"{{ {' '.join(lines)} }}\n"
    )
