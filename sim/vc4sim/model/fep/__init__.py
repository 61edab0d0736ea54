"""The front end: coverage, quads, and the vectors of them that are shaded."""
