"""What `vc4 run` can run: built-in examples, assembly files and case directories, all as one `Workload`.

``workload``  a program with its memory, what to show of it afterwards, and what it must hold then
``layout``    where program, uniforms and buffers lie, for examples and assembly files
``source``    assembly files
``example``   the examples that come with the package
``case``      directories with a memory image and the image expected
``fields``    JSON with its types checked
``files``     reading files, with errors that name them
"""

from .case import load_case
from .example import example_names, load_example
from .source import load_source
from .workload import Buffer, Check, Workload

__all__ = ["Buffer", "Check", "Workload", "example_names", "load_case", "load_example", "load_source"]
