"""A slice: QPUs and the units that they share."""
