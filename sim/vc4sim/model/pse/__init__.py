"""Primitive set-up."""
