"""The two kinds of clips: consecutive frames, and one frame that stands still."""

TEMPORAL = "temporal"
STATIC = "static"
KINDS = (TEMPORAL, STATIC)
UNKNOWN_FRAME = -1  # the start of a clip that nobody recorded
