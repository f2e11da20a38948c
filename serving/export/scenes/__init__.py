"""The world of drawn scenes, and the small models trained on it. Torch and numpy only."""
