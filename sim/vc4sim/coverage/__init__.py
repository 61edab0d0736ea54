"""What random programs reach: cells of (operation x pack x condition x operand ...) that they have executed.

``columns``  executed instructions as arrays
``kinds``    where operands come from, and hazards
``groups``   the cells, as data
``products`` groups that are products of columns
``count``    counts the cells that are reached
``holes``    says in few words which are not
``rules``    restrictions that are broken
``table``    all of it as text
``page``     the same as a page of the documentation
"""

from .count import Coverage
from .rules import RuleCount
from .table import table

__all__ = ["Coverage", "RuleCount", "table"]
