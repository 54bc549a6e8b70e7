"""Settings chosen on validation videos: what each hides and keeps there, and the one to take."""
