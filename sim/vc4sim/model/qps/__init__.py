"""What all QPUs share to wait for each other."""
