"""Full-text engines: each only matches tokens; scoring is the ladder's."""
