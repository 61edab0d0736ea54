"""Checks programs against the restrictions of `vc4.isa.hazards`, along every path that they can take.

``effects``        what an instruction does, in the words of the table
``program``        the ways from an instruction to the next
``flow``           the paths through a program
``path_state``     an instruction whose turn has come on a path, and what is remembered of the path
``rule``           how a rule is applied to a turn
``table_rules``    the rules that the table says in full
``special_rules``  the rules that it says in words only, a function each
``tmu``            lookups along a path: parameters that wait, results that are not read yet
``vpm``            reads of the VPM along a path
``threads``        thread switches along a path
``scoreboard``     who holds the tile buffer along a path
``finding``        what is found
``check``          all rules over a program, along every path
``strict``         all rules over a run, along the path that it takes
``page``           the table as a page of the documentation
"""

from .check import Subject, check, check_flow, rules_for
from .finding import Finding, paragraph
from .flow import Flow
from .program import VECTOR_ROWS
from .strict import Broken, Strict

__all__ = [
    "VECTOR_ROWS",
    "Broken",
    "Finding",
    "Flow",
    "Strict",
    "Subject",
    "check",
    "check_flow",
    "paragraph",
    "rules_for",
]
