"""What the debug registers of the front end are made from, by the names of their fields (guide, tables 89 to 92)."""

from amaranth.lib import data

from vc4.regs.diagnostics import FRONT_END_DEBUG, live_fields

__all__ = ["DEBUG_REGISTERS", "DEBUG_SIGNALS", "PARTS", "QUAD_DEPTH_DEBUG"]

_FIELDS = {field.name: field for one in FRONT_END_DEBUG for field in live_fields(one)}


def _part(*names: str) -> data.StructLayout:
    return data.StructLayout({name: _FIELDS[name].width for name in names})


#: All fields that hardware drives, of all registers; and again, register by register.
DEBUG_SIGNALS = _part(*_FIELDS)
DEBUG_REGISTERS = data.StructLayout(
    {one.name: _part(*(field.name for field in live_fields(one))) for one in FRONT_END_DEBUG}
)

#: What `QuadDepth` drives of them.
QUAD_DEPTH_DEBUG = _part(
    *("XYNRM_READY", "XYNRM_LAST", "XYNRM_IP_STALL", "INTERPZ_READY", "INTERPZ_IP_STALL", "FIXZ_READY", "EZLIM_READY"),
    *("EZLIM_IP_STALL", "DEPTHO_READY"),
)
#: And each part of the front end, by its name.
PARTS = {
    "draw_order": _part("EDGES_STALL", "EDGES_READY", "EDGES_ISCTRL", "EDGES_CTRLID", "REFXY_FIFO_READY"),
    "plane_writer": _part("ZRWPE_STALL", "ZRWPE_READY", "WCOEFF_FIFO_READY", "WCOEFF_FIFO_FULL"),
    "fep": _part(
        *("ZCOEFF_FIFO_READY", "ZCOEFF_FIFO_FULL", "RAST_BUSY", "RAST_READY", "RAST_LAST", "XYRELZ_FIFO_READY"),
        *("XYRELZ_FIFO_FULL", "XYRELZ_FIFO_LAST", "XYRELZ_FIFO_IP_STALL", "DEPTHO_FIFO_READY", "DEPTHO_FIFO_IP_STALL"),
        *QUAD_DEPTH_DEBUG.members,
    ),
    "early_depth": _part(
        *("EZ_DATA_READY", "EZ_XY_READY", "EZREQ_FIFO_READY", "EZREQ_FIFO_OP_VALID", "EZVAL_FIFO_READY"),
        *("EZTEST_IP_QSTALL", "EZTEST_STALL", "EZTEST_QREADY", "EZTEST_ANYQF", "EZTEST_ANYQVALID"),
        "EZTEST_VLF_OKNOVALID",
    ),
    "quad_match": _part(
        *("QXYF_FIFO_READY", "QXYF_FIFO_OP_READY", "QXYF_FIFO_OP_VALID", "QXYF_FIFO_OP_LAST", "QXYF_FIFO_OP1_VALID"),
        *("QXYF_FIFO_OP1_LAST", "QXYF_FIFO_OP1_DUMMY"),
    ),
    "fragment_order": _part("EZTEST_IP_PRSTALL"),
    "vector_assembly": _part(
        *("ZO_FIFO_READY", "ZO_FIFO_IP_STALL", "XYRELO_FIFO_READY", "XYRELW_FIFO_READY", "INTERPRW_READY"),
        *("INTERPW_IP_STALL", "RECIPW_READY"),
    ),
    "vector_dispatch": _part("XYFO_FIFO_READY", "XYFO_FIFO_OP_READY"),
}
