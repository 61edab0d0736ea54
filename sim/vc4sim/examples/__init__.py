"""Programs to begin with; `vc4sim.workload.example` has their format."""
