"""The table of restrictions as a page of the documentation.

`python -m vc4sim.checker.page > docs/reference/restrictions.md` writes it again.
"""

import sys
from collections.abc import Iterator

from vc4.isa.hazards import HAZARDS, Hazard, Kind, Scope, Severity, Source

__all__ = ["page"]

_INTRODUCTION = """\
# Programming restrictions

The QPU has no interlocks for most of what follows: a program that breaks a rule gets something else than it wants.
`vc4 check` finds such places, along every path through branches and delay slots; `vc4 check --rules` lists the rules.
`vc4 run --strict` stops a run at the first one, along the path that it takes, on the model and on the RTL alike.

*On the chip* says what a violation does there, as far as it is known; *here* says what this implementation does. A rule that
names fragment shaders, two threads or two TMUs is about such programs only. Rules that nobody but the kernel has are about
shaders: nothing looks for them in other programs. `--allow R4` leaves a rule out, in `vc4 check` and with `--strict`.

## What is allowed

* A register may be read right after its write if both are under opposite conditions of the same flags (R1). The same
  conditions let both ALUs write one of r0 to r3 (R22). An operand that nobody takes is no read.
* Only elements count that are needed (R1, R2, R3): of an address or a set-up that is element 0, of the target of a branch
  element 15, of r5 the first of each quad, of a rotation those that come from a later quad.
* A lookup by s alone takes no uniform (R6, R11), and the colour of one sample may be read and written together (R10).
* Both operands of one ALU may be the same unpacked r4 (R32); a program that holds the scoreboard may write to the tile
  buffer in its last instruction (R20).
* The set-up of the stencil is no access to the tile buffer (R9, R10), and a write to the tile buffer may have a condition
  (R23): shaders of Mesa do both, and a discarded pixel is such a condition.
* The uniform from which a new address of the uniforms is made may come from the old one (R30).

## What the checker cannot know

* Where a branch to a register goes: a path ends there, and instructions that no other path reaches begin one.
* Where a program goes after a branch that is too close to another, or to a thread switch (R14, R15).
* Which branches depend on each other: for R16 and R21 every branch may go either way, every time. How many varyings a
  program has to read is not in its words.
* R29 cannot be broken: a word has one signal.
* How often a loop runs: after a branch that may or may not be taken, R33 and R34 start anew.
* Words that are not loaded as an immediate: a set-up of reads by one is passed over (R33, R35).
* What VPMBASE holds: all rows that vectors reach, if `--user-rows` does not say how many (R35).

## What a run knows

A run finds nothing that the checker does not, but after a branch to a register, and what loops and computed set-ups of reads
break (R33 to R35). It finds less:

* Only the way that it takes counts, and a branch that is not taken does nothing but be there (R14, R15).
* Conditions are apart where no element meets both (R1, R2, R3, R22), and one that holds in all elements that are taken is none
  (R23). An operand is not read under a condition that holds nowhere.
* A rotation by r5 is none if r5 is 0 (R2, R4).
* A result of a TMU needs a switch only when the program has switched before: until then it may be one without (R16).
* The rules are those of programs of users. Memory is the program, for R27.
"""

_SEVERITY = {Severity.WRONG: "error", Severity.SUSPECT: "warning", Severity.POLICY: "warning, a rule of tools"}

_KIND = {
    Kind.SEQUENCE: "Instructions one after another",
    Kind.INSTRUCTION: "Within an instruction",
    Kind.START: "The beginning of a program",
    Kind.END: "The end of a program",
    Kind.PROGRAM: "The whole program",
}


def page() -> str:
    """The page, in Markdown."""
    return "\n".join([_INTRODUCTION, *(line for kind in Kind for line in _section(kind))]).rstrip() + "\n"


def _section(kind: Kind) -> Iterator[str]:
    yield f"## {_KIND[kind]}\n"
    yield "| rule | restriction | on the chip | here | stated by |"
    yield "|---|---|---|---|---|"
    yield from (_row(one) for one in HAZARDS if one.kind is kind)
    yield ""


def _row(one: Hazard) -> str:
    about = [_SEVERITY[one.severity]] if one.severity is not Severity.WRONG else []
    about += [one.scope.value] if one.scope is not Scope.ALL else []
    title = f"{one.title} ({'; '.join(about)})" if about else one.title
    sources = ", ".join(source.value for source in Source if source in one.sources)
    return f"| {one.rule} | {title} | {one.why} | {one.here} | {sources} |"


if __name__ == "__main__":
    sys.stdout.write(page())
