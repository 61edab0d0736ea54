"""`eval` in pieces: nothing is lost, and each wire is there where it is used."""

from vc4sim.cxxrtl.functions import cut_eval

HEADER = "struct p_top {\n\tbool eval(performer *performer = nullptr) override;\n};\n"
MEMORY = "\tauto tmp_1 = memory_index(a);\n\tCXXRTL_ASSERT(tmp_1.valid);\n\tif(tmp_1.valid) {\n\t\tb;\n\t} else {\n\t\tc;\n\t}\n"


def source(statements):
    wires = "".join(f"\t// a wire\n\tvalue<8> w{number};\n" for number in range(len(statements)))
    return (
        "before\nbool p_top::eval(performer *performer) {\n\tbool converged = true;\n"
        "\tbool posedge_p_clk = this->posedge_p_clk();\n"
        + wires
        + "".join(statements)
        + "\treturn converged;\n}\nbehind\n"
    )


def test_all_statements_stay_in_their_order():
    statements = [MEMORY if number % 7 == 3 else f"\tw{number} = w{number // 2};\n" for number in range(1000)]
    text, header = cut_eval(source(statements), HEADER)
    assert text.startswith("before\n")
    assert text.endswith("}\nbehind\n")
    places = [text.index(one) if one != MEMORY else None for one in statements]
    assert [place for place in places if place] == sorted(place for place in places if place)
    assert text.count(MEMORY) == statements.count(MEMORY), "what looks at a place of a memory stays together"
    pieces = text.count("void p_top::eval_")
    assert 4 <= pieces == header.count("void eval_")


def test_wires_of_one_piece_are_its_own():
    text, _ = cut_eval(source([f"\tw{number} = 1;\n" for number in range(400)]), HEADER)
    shared = text.partition("struct p_top::Wires {")[2].partition("};")[0]
    assert "value<8>" not in shared
