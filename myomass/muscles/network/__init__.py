"""Networks that place a muscle's mass on a wrapped path: what they see, how they are evaluated, how they learn."""
