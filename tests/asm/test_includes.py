"""Included files, and what vc4asm's own include file asks of the language.

The constructs are those of its `vc4.qinc`: sorts of operands are told apart by how values of different sorts are ordered,
and by the numbers of registers. What a query must say is what its documentation (doc/vc4.qinc.html) says.
"""

import pytest

from vc4.isa.decode import decode
from vc4sim.asm import AsmError, assemble


@pytest.fixture
def folders(tmp_path):
    """Two folders of an include path."""
    paths = [tmp_path / "first", tmp_path / "second"]
    for path in paths:
        path.mkdir()
    return paths


def bytes_of(source, *arguments):
    return list(assemble(source, *arguments).code)


class TestPath:
    @pytest.mark.parametrize("quoted", ["<one.qinc>", '"one.qinc"'])
    def test_the_first_folder_that_has_it(self, folders, quoted):
        source = f".include {quoted}\n.byte one\n"
        (folders[1] / "one.qinc").write_text(".set one, 2\n")
        assert bytes_of(source, "x.qasm", folders) == [2]
        (folders[0] / "one.qinc").write_text(".set one, 1\n")
        assert bytes_of(source, "x.qasm", folders) == [1]

    @pytest.mark.parametrize(("quoted", "found"), [("<one.qinc>", 1), ('"one.qinc"', 3)])
    def test_a_name_in_quotes_lies_beside_the_source_first(self, folders, tmp_path, quoted, found):
        (folders[0] / "one.qinc").write_text(".set one, 1\n")
        (tmp_path / "one.qinc").write_text(".set one, 3\n")
        assert bytes_of(f".include {quoted}\n.byte one\n", str(tmp_path / "x.qasm"), folders) == [found]

    def test_included_files_include_others(self, folders):
        (folders[0] / "outer.qinc").write_text(".include <inner.qinc>\n")
        (folders[1] / "inner.qinc").write_text(".set inner, 5\n")
        assert bytes_of(".include <outer.qinc>\n.byte inner\n", "x.qasm", folders) == [5]

    def test_a_missing_file_says_where_it_was_looked_for(self, folders):
        with pytest.raises(AsmError) as caught:
            assemble(".include <one.qinc>", "x.qasm", folders)
        assert caught.value.message == f"there is no file {folders[0]}/one.qinc nor in {folders[1]}, ."


#: Queries in terms of order: numbers < lists < registers < semaphores < labels.
QUERIES = """
.set number(x) x < [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-2]
.set list(x) !number(x) && x < :[0]
.set negative(x) list(x) && x < [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]
.set register(x) x >= :[0] && x < :[0,0x10]
.set semaphore(x) x >= :[0,0x10] && x <= :[-1,-1]
.set label(x) x > :[-1,-1,-1,-1]
"""
SORTS = {
    "5": "number",
    "-1.5": "number",
    "1./0.": "number",
    "[0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1]": "list",
    "[0,-1,0,1,0,1,0,1,0,1,0,1,0,1,0,1]": "list negative",
    "[3,2,0,1,0,1,0,1,0,1,0,1,0,1,0,1]": "list",
    "ra0": "register",
    "rb31": "register",
    "r3": "register",
    "r4": "register",
    "unif": "register",
    "vpm.8as": "register",
    "r0 << 5": "register",
    "sacq0": "semaphore",
    "srel15": "semaphore",
    "r:here": "label",
}


@pytest.mark.parametrize("value", SORTS)
def test_sorts_of_operands(value):
    names = ("number", "list", "negative", "register", "semaphore", "label")
    source = f"{QUERIES}.byte {', '.join(f'{name}({value})' for name in names)}, 0, 0\n:here\n"
    found = [name for name, holds in zip(names, bytes_of(source), strict=False) if holds]
    assert " ".join(found) == SORTS[value]


#: Which of these bits the second number of a register has (doc/expressions.html, internal raw register).
KINDS = {"file A": 1, "file B": 2, "readable": 4, "writable": 8}


@pytest.mark.parametrize(
    ("register", "kinds", "number"),
    [
        ("ra7", "file A, readable, writable", 7),
        ("rb7", "file B, readable, writable", 7),
        ("vpm", "file A, file B, readable, writable", 48),
        ("elem_num", "file A, readable", 38),
        ("qpu_num", "file B, readable", 38),
        ("vw_setup", "file B, writable", 49),
        ("unif", "file A, file B, readable", 32),
        ("r2", "file A, file B, writable", 34),
        ("r5", "file A, file B", 37),
    ],
)
def test_numbers_of_registers(register, kinds, number):
    asked = [f"({register} & :[0,{bit}]) == :[0,{bit}]" for bit in KINDS.values()]
    found = bytes_of(f".byte {', '.join(asked)}, ({register} & :[63]) == :[{number}]\n")
    assert found == [*(name in kinds.split(", ") for name in KINDS), 1]


def test_rotations_are_a_number_of_a_register():
    assert bytes_of(
        ".byte (r0 & :[0,0,-1]) != :[], (r0 << 2 & :[0,0,-1]) == :[0,0,2], (r0 >> 1 & :[0,0,-1]) == :[0,0,15]"
    ) == [
        0,
        1,
        1,
    ]


@pytest.mark.parametrize(
    ("expression", "bits"),
    [
        ("0./0.", 0x7FC0_0000),
        ("1./0.", 0x7F80_0000),
        ("-1./0.", 0xFF80_0000),
        ("-(1./0.)", 0xFF80_0000),
        ("2. * (1./0.)", 0x7F80_0000),
    ],
)
def test_division_by_zero_of_floats_is_as_ieee_754_says(expression, bits):
    (word,) = assemble(f".set constant, {expression}\nldi r0, constant").words
    assert decode(word).immediate == bits


def test_what_is_no_number_compares_with_nothing():
    source = ".set nan, 0./0.\n.byte nan == nan, nan != nan, nan < 1., nan >= 1., nan === nan, (nan <=> 1.) < -1\n"
    assert bytes_of(source) == [0, 1, 0, 0, 1, 1]


def test_logical_shifts_have_64_bits():
    """As the bit functions of vc4.qinc need it, which mirror and count bits with masks of 64 bits."""
    source = """
.func mirrored(x)
  .lset x, x >>> 1 & 0x5555555555555555 | (x & 0x5555555555555555) <<< 1
  .lset x, x >>> 2 & 0x3333333333333333 | (x & 0x3333333333333333) <<< 2
  .lset x, x >>> 4 & 0x0f0f0f0f0f0f0f0f | (x & 0x0f0f0f0f0f0f0f0f) <<< 4
  .lset x, x >>> 8 & 0x00ff00ff00ff00ff | (x & 0x00ff00ff00ff00ff) <<< 8
  .lset x, x >>> 16 & 0x0000ffff0000ffff | (x & 0x0000ffff0000ffff) <<< 16
  x >>> 32 | x <<< 32
.endfunc
.byte mirrored(1 <<< 60), mirrored(0xa <<< 56)
"""
    assert bytes_of(source) == [8, 0x50]


def test_semaphores_by_number():
    assert assemble(".set acquired(i) sacq0 + i\nmov -, acquired(3)").words == assemble("sacq -, 3").words


def test_other_spellings_of_directives():
    """vc4asm's table of directives."""
    source = ".rep i, 2\n.if i == 5\n.byte 9\n.elif i\n.dword 1\n.else\n.dword 0\n.endif\n.endrep\n"
    assert bytes_of(source) == [0, 0, 0, 0, 1, 0, 0, 0]
    assert assemble("nop\n.back 1\nbkpt\n.endback\n").words == assemble("bkpt\nnop\n").words
