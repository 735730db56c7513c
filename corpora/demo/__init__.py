"""The embedded corpora, written for this project and generated from a seed: clinical, news, legal and mail."""
