"""What `vc4 run` can run: built-in examples, programs of the user and case directories, all as one `Workload`.

``workload``  a program with its memory, and what to show of it afterwards
``compare``   what memory must hold then, and how it differs
``layout``    where program, uniforms and buffers lie, for examples and programs
``source``    programs: assembly files, and files of words
``hexfile``   words as text
``example``   the examples that come with the package
``case``      directories with a memory image and the image expected
``fields``    JSON with its types checked
``files``     reading files, with errors that name them
"""

from .case import load_case
from .compare import Check, Difference
from .example import example_names, load_example
from .layout import Start
from .source import load_source, read_program
from .workload import Buffer, Workload

__all__ = [
    "Buffer",
    "Check",
    "Difference",
    "Start",
    "Workload",
    "example_names",
    "load_case",
    "load_example",
    "load_source",
    "read_program",
]
