"""Reference model, assembler, simulators and comparison for the VideoCore IV 3D in `vc4`."""
