"""Pairs of operands for both ALUs of a lane, on the RTL and on the model.

``operands``  pairs that reach the corners of the arithmetic
``alus``      the ALUs with their benches, and what the model makes of pairs
"""
