"""The main job: corpus -> detection -> votes -> conditions -> measures -> results, one stage after another."""
