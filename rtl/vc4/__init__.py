"""VideoCore IV 3D in Amaranth: every block of the public architecture guide as synthesizable hardware."""
