"""The boards for which a GPU is built, by the names that `vc4 build` knows."""

from vc4.boards.arty_a7 import ARTY_A7_100
from vc4.boards.board import Board
from vc4.boards.ecpix5 import ECPIX5_85F
from vc4.boards.ulx3s import ULX3S_85F

__all__ = ["BITSTREAMS", "BOARDS", "PROJECTS"]

#: Boards of which a bitstream is made with free tools, and those whose tools are a vendor's.
BITSTREAMS = {"ulx3s-85f": ULX3S_85F, "ecpix5-85f": ECPIX5_85F}
PROJECTS = {"arty-a7-100": ARTY_A7_100}

BOARDS: dict[str, Board] = BITSTREAMS | PROJECTS
