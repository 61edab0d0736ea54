"""C++ that reads and writes the ports of a narrowed design as if they were whole."""

import re

from .cuts import WORD
from .narrow import Pieces

__all__ = ["port_accessors", "rewinder"]


def port_accessors(ports: dict[str, Pieces], inputs: set[str], design: str) -> str:
    """A namespace `design`_ports with a function for each port of a design, of arrays of 32-bit words, the lowest first.

    `ports` is what `narrow` tells. An output `x` is read by `x(gpu)`, one of `inputs` is written by `x(gpu, words)`.
    """
    functions = [(_setter if port in inputs else _getter)(port, pieces) for port, pieces in ports.items()]
    return f"#include <array>\n\nnamespace {design}_ports {{\nusing Gpu = {design}::p_top;\n{_HELPERS}\n{''.join(functions)}}}\n"


def rewinder(header: str, design: str) -> str:
    """`rewind(gpu)`, in the same namespace: what an evaluation wanted registers and memories to become is forgotten.

    An evaluation leaves registers alone that are not enabled in it, so a second one in the same clock needs this. `header`
    is the C++ header of the design.
    """
    clears = "".join(f"    gpu.{memory}.write_queue.clear();\n" for memory in _MEMORY.findall(header))
    holds = "".join(f"    gpu.{wire}.next = gpu.{wire}.curr;\n" for wire in _WIRE.findall(header))
    return f"namespace {design}_ports {{\ninline void rewind(Gpu &gpu) {{\n{clears}{holds}}}\n}}\n"


_MEMORY = re.compile(r"\bmemory<\d+> (\w+)")
_WIRE = re.compile(r"\bwire<\d+> (\w+)")
_HELPERS = """\
template<size_t Bits> uint32_t get(const cxxrtl::value<Bits> &piece) { return piece.data[0]; }
template<size_t Bits> uint32_t get(const cxxrtl::wire<Bits> &piece) { return piece.curr.data[0]; }
template<size_t Bits> void set(cxxrtl::value<Bits> &piece, uint32_t bits) {
    piece.data[0] = Bits == 32 ? bits : bits & ((uint64_t(1) << Bits % 32) - 1);
}
template<size_t Bits> void set(cxxrtl::wire<Bits> &piece, uint32_t bits) { set(piece.next, bits); }
"""


def _getter(name: str, pieces: Pieces) -> str:
    parts = []
    for piece, low, width in pieces:
        value = f"get(gpu.{_mangled(piece)})"
        word, shift = divmod(low, WORD)
        parts.append(f"words[{word}] |= {value} << {shift};")
        if shift + width > WORD:
            parts.append(f"words[{word + 1}] |= {value} >> {WORD - shift};")
    words = _array(pieces)
    return (
        f"inline {words} {_plain(name)}(const Gpu &gpu) {{ {words} words = {{}}; {' '.join(parts)} return words; }}\n"
    )


def _setter(name: str, pieces: Pieces) -> str:
    parts = []
    for piece, low, width in pieces:
        word, shift = divmod(low, WORD)
        value = f"words[{word}] >> {shift}"
        if shift + width > WORD:
            value = f"({value} | words[{word + 1}] << {WORD - shift})"
        parts.append(f"set(gpu.{_mangled(piece)}, {value});")
    return f"inline void {_plain(name)}(Gpu &gpu, const {_array(pieces)} &words) {{ {' '.join(parts)} }}\n"


def _array(pieces: Pieces) -> str:
    _, low, width = pieces[-1]
    return f"std::array<uint32_t, {-(-(low + width) // WORD)}>"


def _plain(name: str) -> str:
    return name.removeprefix("\\")


def _mangled(name: str) -> str:
    """The name that CXXRTL gives to a public wire."""
    letters = (c if c.isalnum() else "__" if c == "_" else f"_{ord(c):x}_" for c in _plain(name))
    return f"p_{''.join(letters)}"
