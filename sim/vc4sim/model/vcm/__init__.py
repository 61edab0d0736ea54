"""Vertices: batches, attributes, shading."""
