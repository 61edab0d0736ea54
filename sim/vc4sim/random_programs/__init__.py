"""Constrained random programs: every operation, pack, unpack, condition, immediate, rotation, branch and I/O that is built.

Programs always end, and stay inside their memory. Most keep to no other rule: they read registers too early, rotate what
was just written, and set up peripherals side by side, as everything is defined here.

``values``   random values, conditions and addresses
``vpm``      set-ups of the VPM and of DMA
``words``    instructions
``place``    where a program lies
``program``  a program
``lawful``   takes out what breaks a rule
``job``      a few programs with their memory
``textures`` textures that programs sample
``lookups``  programs that look up memory and textures
``member``   a program that waits for others on other QPUs
``team``     a few of those with their memory
"""

from .job import random_job
from .team import random_team

__all__ = ["random_job", "random_team"]
