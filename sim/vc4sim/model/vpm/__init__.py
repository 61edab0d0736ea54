"""Vertex pipe memory, the ways into it, and its DMA."""
