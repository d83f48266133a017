"""The prompt: what is in it, in which order, and how many tokens each part has."""
