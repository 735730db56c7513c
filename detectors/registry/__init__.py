"""Manifests of the frozen detectors that come with the project, one TOML file each."""
