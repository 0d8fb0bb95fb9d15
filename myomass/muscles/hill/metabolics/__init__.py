"""Metabolic power of Hill-type muscles, a file for each published model; a new one is a file and a line in power.py."""
