"""Models of OpenSim: `.osim` files as specs."""
