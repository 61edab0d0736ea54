"""Constrained random programs: every operation, pack, unpack, condition, immediate, rotation, branch and I/O that is built.

Programs always end, and stay inside their memory. Most keep to no other rule: they read registers too early, rotate what
was just written, and set up peripherals side by side, as everything is defined here.

``wanted``   what there is to be more of
``values``   random values, conditions and addresses
``vpm``      set-ups of the VPM and of DMA
``words``    instructions
``place``    where a program lies
``program``  a program
``lawful``   takes out what breaks a rule
``job``      a few programs with their memory
``textures`` textures that programs sample
``lookups``  programs that look up memory and textures
``texture_job``  a program that looks up random textures
``setup_job``    programs that write set-up words of any bits
``member``   a program that waits for others on other QPUs
``team``     a few of those with their memory
``compare``  a run of them on the RTL, with the model beside it
"""

from .compare import compare_programs, random_run
from .job import random_job
from .team import random_team
from .wanted import Wanted, Wish

__all__ = ["Wanted", "Wish", "compare_programs", "random_job", "random_run", "random_team"]
