"""The assembler and the disassembler of the QPU, in the dialect of vc4asm (QPU facts, 10).

=================================  ===================================================================
``assembler``, ``runner``          passes through a source; one of them, line by line
``source``, ``lexer``              lines and blocks; tokens
``expression``, ``operators``      values, while they are parsed
``values``, ``scope``, ``labels``  what names stand for
``directives``, ``blocks``         directives of one line, of a block
``data``, ``layout``               data directives; pieces of a program to addresses
``statement``, ``modifiers``       instructions as written, and their suffixes
``encoder``, ``loads``             words of the ALU; of loads, semaphores and branches
``operations``, ``constants``      which ALU does what; constants that one can make
``sources``, ``destinations``      read ports and unpacks; register files and packs
``rotation``                       rotations of the mul ALU
``names``, ``habits``              the words of the dialect; where vc4asm is followed though it is odd
``disassembler``, ``forms``        words to statements: ALU; loads, semaphores and branches
``listing``, ``single``            whole programs to text; one line to a word
``source_map``                     where instructions are in their source
=================================  ===================================================================

Every encoding comes from `vc4.isa`.
"""

from .assembler import Program, assemble
from .disassembler import disassemble
from .errors import AsmError
from .listing import disassemble_program
from .source_map import SourceMap

__all__ = ["AsmError", "Program", "SourceMap", "assemble", "disassemble", "disassemble_program"]
