"""A QPU."""
