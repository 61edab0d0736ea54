"""`vc4 asm` and `vc4 disasm`."""

import io
import sys

import pytest


def test_asm_prints_words_of_sixteen_digits(source, output_of):
    lines = output_of("asm", source).splitlines()
    assert lines[0] == "e0021c6700001a00"
    assert all(len(line) == 16 for line in lines)


def test_asm_reads_standard_input(monkeypatch, output_of):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"nop\n")))
    assert output_of("asm", "-") == "100009e7009e7000\n"


@pytest.mark.parametrize(("name", "form"), [("words.hex", "hex"), ("words.bin", "bin")])
def test_a_listing_assembles_to_the_same_words(source, tmp_path, output_of, name, form):
    words, listing = tmp_path / name, tmp_path / "listing.qasm"
    output_of("asm", source, "-o", words, "--format", form)
    listing.write_text(output_of("disasm", words, "--base", "0x10000"))
    assert "# 00010008: " in listing.read_text()
    assert output_of("asm", listing) == output_of("asm", source)


def test_errors_say_where(tmp_path, refused):
    source = tmp_path / "wrong.qasm"
    source.write_text("nop\nfrob r0\n")
    assert "wrong.qasm:2:1: " in refused("asm", source)
    words = tmp_path / "words.hex"
    words.write_text("100009e7009e7000\n1000\n")
    assert "words.hex:2: not a word" in refused("disasm", words)


def test_files_that_cannot_be_read_or_written(tmp_path, source, refused):
    binary = tmp_path / "noise"
    binary.write_bytes(b"\xff\xfe")
    empty = tmp_path / "empty.bin"
    empty.write_bytes(b"")
    assert "no such file" in refused("asm", tmp_path / "missing.qasm")
    assert "not a file" in refused("asm", tmp_path)
    assert "not a text file" in refused("asm", binary)
    assert "no words" in refused("disasm", empty)
    assert "no such file" in refused("disasm", tmp_path / "line\nbreak")
    assert "nowhere" in refused("asm", source, "-o", tmp_path / "nowhere" / "x.hex")
