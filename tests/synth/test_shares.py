"""Which components cells belong to."""

from vc4sim.synth.shares import Share, shares_of

INSTANCES = ["lane_0", "lane_1", "lane_0.alu", "lane_1.alu", "r4", "sync$7", "fifo$8", "fifo$9", "lane_0.alu.step_3"]


def cells(*names):
    """A netlist with a LUT and a register of each name, and a multiplier of none."""
    return {
        **{name: {"type": "$scopeinfo"} for name in INSTANCES},
        **{f"{name}_LUT4_Z": {"type": "LUT4"} for name in names},
        **{f"{name}_TRELLIS_FF_Q": {"type": "TRELLIS_FF"} for name in names},
        "$auto$12": {"type": "MULT18X18D"},
    }


def test_cells_belong_to_all_components_around_them():
    shares = shares_of(cells("lane_0.alu.step_3.sum", "lane_1.alu.sum", "lane_1.key", "lane_10.key", "alu"))
    assert shares["lane"] == Share(2, {"LUT4": 3, "TRELLIS_FF": 3})
    assert shares["lane.alu"] == Share(2, {"LUT4": 2, "TRELLIS_FF": 2})
    assert shares["lane.alu.step_3"] == Share(1, {"LUT4": 1, "TRELLIS_FF": 1})


def test_numbers_are_left_out_only_where_there_are_several():
    shares = shares_of(cells("r4.empty", "sync$7.taken", "fifo$9.first"))
    assert {place: share.instances for place, share in shares.items()} == {
        **{"lane": 2, "lane.alu": 2, "lane.alu.step_3": 1},
        **{"r4": 1, "sync": 1, "fifo": 2},
    }
    assert all(shares[place].cells["LUT4"] == 1 for place in ("r4", "sync", "fifo"))
