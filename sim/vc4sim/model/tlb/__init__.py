"""The tile buffer, and its ways to memory."""
