"""Arithmetic on bit patterns: floating point, both ALUs, packs, special functions, fixed point."""
