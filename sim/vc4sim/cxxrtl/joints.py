"""C++ that joins a design to the instances that were taken out of it."""

from amaranth.lib import wiring

from .cuts import WORD
from .sockets import port_widths

__all__ = ["joints"]

_HELPERS = """\
template<size_t Words> static uint32_t *put(uint32_t *at, const std::array<uint32_t, Words> &words) {
    return std::copy(words.begin(), words.end(), at);
}
template<size_t Words> static std::array<uint32_t, Words> get(const uint32_t *&at) {
    std::array<uint32_t, Words> words;
    std::copy_n(at, Words, words.begin());
    at += Words;
    return words;
}
"""


def joints(component: wiring.Component, count: int, *, whole: str, part: str, without: tuple[str, ...]) -> str:
    """A class `part` in the namespace `joints`, for `count` instances of the design `part` that belong to the design `whole`.

    `Inputs` are the inputs of an instance as words. `take[n](whole)` are those of instance n, `set(part, inputs)` gives them
    to it, and `give[n](whole, part)` tells its outputs. Ports whose name begins with one of `without` are left out.
    """
    inputs, outputs = (
        {
            name: -(-width // WORD)
            for name, width in port_widths(component, flow).items()
            if not name.startswith(without)
        }
        for flow in (wiring.In, wiring.Out)
    )
    numbers = range(count)
    takes = [
        f"static Inputs take_{number}(const Whole &whole) {{\n    Inputs words;\n    uint32_t *at = words.data();\n"
        + "".join(f"    at = put(at, {whole}_ports::{part}{number}__{name}(whole));\n" for name in inputs)
        + "    return words;\n}\n"
        for number in numbers
    ]
    gives = [
        f"static void give_{number}(Whole &whole, const Part &part) {{\n"
        + "".join(
            f"    {whole}_ports::{part}{number}__{name}(whole, {part}_ports::{name}(part));\n" for name in outputs
        )
        + "}\n"
        for number in numbers
    ]
    sets = (
        "static void set(Part &part, const Inputs &words) {\n    const uint32_t *at = words.data();\n"
        + "".join(f"    {part}_ports::{name}(part, get<{size}>(at));\n" for name, size in inputs.items())
        + "}\n"
    )
    tables = (
        f"static constexpr Inputs (*take[COUNT])(const Whole &) = {{{', '.join(f'take_{number}' for number in numbers)}}};\n"
        "static constexpr void (*give[COUNT])(Whole &, const Part &) = "
        f"{{{', '.join(f'give_{number}' for number in numbers)}}};\n"
    )
    # In a namespace without a name: the tables of a class that others can see are the same for all libraries of a process.
    return (
        f"namespace joints {{\nnamespace {{\nstruct {part} {{\nusing Whole = ::{whole}::p_top;\nusing Part = ::{part}::p_top;\n"
        f'static constexpr const char *NAME = "{part}";\n'
        f"static constexpr size_t COUNT = {count};\nusing Inputs = std::array<uint32_t, {sum(inputs.values())}>;\n"
        f"{_HELPERS}{''.join(takes)}{sets}{''.join(gives)}{tables}"
        f"static void clk(Part &part, bool level) {{ {part}_ports::clk(part, {{level}}); }}\n"
        f"static void rewind(Part &part) {{ {part}_ports::rewind(part); }}\n}};\n}}\n}}\n"
    )
