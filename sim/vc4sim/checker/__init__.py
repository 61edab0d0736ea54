"""Checks programs against the restrictions of `vc4.isa.hazards`, along every path that they can take.

``acts``        what an instruction does, in the words of the table
``flow``        the paths through a program
``generic``     the rules that the table says in full
``tmu``         lookups along the paths: parameters that wait, results that are not read yet
``threads``     thread switches along the paths
``scoreboard``  who holds the tile buffer along the paths
``whole``       the rules that need the whole program, a function each
``finding``     what is found
``check``       all rules over a program
``page``        the table as a page of the documentation
"""

from .check import Subject, check, check_flow, rules_for
from .finding import Finding
from .flow import Flow

__all__ = ["Finding", "Flow", "Subject", "check", "check_flow", "rules_for"]
