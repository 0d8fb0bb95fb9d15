"""Hill-type muscles: curves, activation, and the equilibrium of fibre and tendon."""
