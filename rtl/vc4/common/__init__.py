"""Parts that every block uses: queues, memories, arbiters, tags of caches."""
