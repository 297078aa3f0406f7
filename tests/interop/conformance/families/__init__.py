"""Families of commands for generated.py: each module has make, which gives some steps at random, and ending."""
