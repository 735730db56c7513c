"""Surrogate pools by language: one TOML file each, read by `conditions.pools`, which documents the format."""
