"""`vc4 clist dump --binned`: tile lists that the model has written."""

import pytest

from vc4sim.cli import main


@pytest.mark.parametrize("name", ["tri_clip", "msaa4_pbuf"])
def test_tile_lists_are_printed(name, recorded, capsys):
    case = recorded / "cases/gl" / name
    assert main(["clist", "dump", str(case)]) == 0
    before = capsys.readouterr().out
    assert main(["clist", "dump", "--binned", str(case)]) == 0
    after = capsys.readouterr().out
    assert "nothing is there yet" in before
    assert "nothing is there yet" not in after
    assert "return_from_sub_list" in after
    assert "triangles  0 1 2" in after
    assert ("clipped_vertex  vertex=" in after) == (name == "tri_clip")
