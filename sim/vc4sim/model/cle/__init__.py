"""The control list executor, and what it reads."""
