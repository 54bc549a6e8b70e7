"""The sentences of the page that do not depend on what was measured."""

from __future__ import annotations

from benchmarks.published.arms import ABOUT, ARMS, RANDOM
from benchmarks.published.train import BATCH_VIDEOS, LEARNING_RATE, STEPS, WEIGHTS

INTRO = f"""\
# Does the published objective hide static attributes of strangers?

Written by `python -m benchmarks.published` from docs/measured/published; do not edit.

The claim on trial: *{{claim}}* This rule was written into the program before anything was measured:

{{rule}}

It is applied to the arm `released` on uncentred features, graded on PETA, to the mean over gender, over 30 and
black upper body; the other lines of the verdict are applications of the same rule beside it.

Adapters are trained on wlasl100 (two clips and two stills of each video; the people of its test split are left out):
batches of {BATCH_VIDEOS} videos, {STEPS} steps of AdamW at {LEARNING_RATE:g}, a fresh linear action head, the exact
identity as the start, weights {WEIGHTS["task"]:g} task, {-WEIGHTS["budget"]:g} budget, {WEIGHTS["consistency"]:g} mean
consistency; features at full width (I3D, 1,024). Graded on people the adapter never saw: PETA (other pictures, other
cameras) and the held-out signers of wlasl100. "Gone" is 1 - (score - guessing) / (raw score - guessing) of the same
grader.

- **public grader**: that of the papers' public code, word for word: unit logits, batches of 1,024 that pass the
  adapter together, the best test epoch of every 5. For reproduction only.
- **plain logits, last epoch**: the same network and training without the unit logits and without a choice on test.
- **… standardised**: that, on features with mean 0 and spread 1 in every dimension.
- **best attack**: the best of our attacks lda, linear, mlp and neighbours for each attribute."""

CONTROLS = (
    "\n".join(f"- `{name}`: {ABOUT[name]}." for name in (*ARMS, RANDOM))
    + """
- `centred`: the mean of the training rows is subtracted first. Paper and public code do not; cosines, and with them
  the budget, mean something else then.
- `uncentred, 256 directions`: a pilot at a sixteenth of the cost, on the 256 main directions of the training rows
  around zero, the weight of the consistency adjusted to the width. It is a first look and decides nothing."""
)

NOT_DONE = """\
Not part of this run: thetis (its features are of another encoder, of single frames, and it has no attribute but
identity, so that nothing of it could be graded on these strangers). Two views of each face of utkface as the pair are
a run of their own, `--faces`, with a page of its own once it was made."""

# Where pairs are other than stills of the videos.
FACES_INTRO = """\
**Here the pairs of stills are two views of each face of utkface** (random crops of at least four fifths, mirrored or
not; the faces of its test split are left out), beside the clips of wlasl100 for the task. Graded on the faces of the
test split, too. All else is as on [the page of the experiment](published.md)."""
