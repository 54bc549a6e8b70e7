"""What the pages on ten signers cannot carry, said at the top of each of them."""

DOUBTS = (
    "**Read this first.** These numbers stand on ten people in one room, and a second look found that they carry less "
    "than they seem to. (1) Nearly all of what identifies a signer here is the recording: clothes, light and place. "
    "(2) A score of 1.000 is a ceiling; worse features reach it too, so 0 % gone does not mean that nothing is hidden. "
    "(3) The features were centred before they were turned to principal components, which changes an objective that "
    "works on cosines; the paper and its public code do not centre. (4) The rows of the published objective were "
    "trained with task heads that started from a perfect probe, whose loss, and with it the gradient of the task, was "
    "exactly 0 on some seeds; this is mended since, and the rows were not run anew. (5) The MLP on features as they "
    "are stops early; the paper's own runs its 100 epochs. (6) The presets `paper` and `released` were made true "
    "to their sources after these rows were run; they are rows of the presets as they were. "
    "[published.md](published.md) asks the question again, on strangers, with the published graders."
)
