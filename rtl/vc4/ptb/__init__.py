"""The primitive tile binner: primitives with shaded vertices into the lists of the tiles that they touch."""
