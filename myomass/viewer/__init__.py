"""Pictures of a motion. Nothing here is imported unless it is used."""
