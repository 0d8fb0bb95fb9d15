"""A run: its settings, the steppers that advance it, the loop, the recorder, events, and switching between models."""
