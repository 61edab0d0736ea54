"""The binner: clipping, and lists of tiles."""
