"""What all QPUs share: which programs they run, whose turn it is, and how they wait for each other."""
