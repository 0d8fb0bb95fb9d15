"""Elastic materials: one protocol (base.py), one file each, and the list of them (dispatch.py)."""
