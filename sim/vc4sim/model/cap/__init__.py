"""Coverage accumulation."""
