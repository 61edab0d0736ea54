"""FEP: the front end of the fragment pipeline, from primitives to quads (guide, sections 1 and 6; pipeline facts, 4)."""
