"""How people move: skeletons, gestures, walking, and actions in turn."""
