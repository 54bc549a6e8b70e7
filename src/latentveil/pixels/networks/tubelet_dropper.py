"""STPrivacy's anonymizer (f_A): a video transformer that drops tubelets on its way and repaints those it keeps.

At chosen blocks a predictor looks at each token beside the mean of its frames and of the whole video and says keep or
drop: by hard Gumbel-softmax in training, by the highest scores of each row in time at test. Dropped tubelets are black.
"""

from __future__ import annotations

import torch
from einops import repeat
from pydantic import Field
from torch import Tensor, nn
from torch.nn.functional import gumbel_softmax

from latentveil.pixels.networks.base import AnonymizerNetwork
from latentveil.pixels.networks.transformer import Block, TransformerOptions, Tubelets


class TubeletDropperOptions(TransformerOptions):
    """A predictor before every ``drop_every``-th block but the first keeps the share ``keep`` of what it finds."""

    keep: float = Field(0.7, gt=0, le=1)
    drop_every: int = Field(3, ge=1)


class Predictor(nn.Module):
    """Tokens (B, N, width) to log-probabilities (B, N, 2) of keeping (0) and of dropping (1)."""

    def __init__(self, width: int, *, rows: int) -> None:
        super().__init__()
        self.rows = rows
        self.look = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width - width % 3), nn.GELU())
        seen = width - width % 3
        self.decide = nn.Sequential(
            nn.Linear(seen, seen // 2),
            nn.GELU(),
            nn.Linear(seen // 2, seen // 4),
            nn.GELU(),
            nn.Linear(seen // 4, 2),
            nn.LogSoftmax(dim=-1),
        )

    def forward(self, tokens: Tensor, kept: Tensor) -> Tensor:
        """``kept`` (B, N) is 1 for tokens that are still there; means are over these."""
        local, frame, video = self.look(tokens).chunk(3, dim=-1)
        weights = kept[..., None]
        in_rows = (frame * weights).unflatten(1, (self.rows, -1)).sum(dim=2)  # (B, rows, C)
        of_rows = in_rows / weights.unflatten(1, (self.rows, -1)).sum(dim=2).clamp_min(1)
        of_video = (video * weights).sum(dim=1, keepdim=True) / weights.sum(dim=1, keepdim=True).clamp_min(1)
        around = repeat(of_rows, "b r c -> b (r n) c", n=tokens.shape[1] // self.rows)
        return self.decide(torch.cat([local, around, of_video.expand_as(video)], dim=-1))


class TubeletDropper(nn.Module):
    """Clips (B, T, 3, H, W) of its own size in [0, 1] to the same.

    ``shares`` are what each predictor kept of all, a list for every pass with gradients since they were last taken.
    """

    shares: list[list[Tensor]]

    def __init__(self, options: TubeletDropperOptions) -> None:
        super().__init__()
        self.keep = options.keep
        self.tubelets = Tubelets(options)
        self.blocks = nn.ModuleList(Block(options.width, heads=options.heads) for _ in range(options.depth))
        places = range(options.drop_every, options.depth, options.drop_every)
        self.predictors = nn.ModuleDict(
            {str(place): Predictor(options.width, rows=self.tubelets.rows) for place in places}
        )
        self.paint = nn.Sequential(
            nn.LayerNorm(options.width), nn.Linear(options.width, self.tubelets.pixels)
        )
        self.shares = []

    def forward(self, clips: Tensor) -> Tensor:
        tokens = self.tubelets.tokens(self.tubelets.cut(clips))
        kept = torch.ones(tokens.shape[:2], dtype=tokens.dtype, device=tokens.device)
        shares: list[Tensor] = []
        for number, block in enumerate(self.blocks):
            if str(number) in self.predictors:
                scores = self.predictors[str(number)](tokens, kept)
                share = self.keep ** (len(shares) + 1)
                kept = self._sample(scores, kept) if self.training else self._highest(scores, kept, share)
                shares.append(kept.mean())
            tokens = block(tokens, kept)
        if self.training and torch.is_grad_enabled():
            self.shares.append(shares)
        painted = self.paint(tokens).sigmoid() * kept[..., None]
        return self.tubelets.join(painted)

    def take_share_error(self) -> Tensor | None:
        """How far the shares are from those wanted: squared, the mean over predictors and passes, if any."""
        taken, self.shares = self.shares, []
        wanted = self.wanted_shares()
        errors = [(share - one) ** 2 for shares in taken for share, one in zip(shares, wanted)]
        return torch.stack(errors).mean() if errors else None

    def wanted_shares(self) -> list[float]:
        """The share of all tubelets that each predictor should leave."""
        return [self.keep ** (number + 1) for number in range(len(self.predictors))]

    @staticmethod
    def _sample(scores: Tensor, kept: Tensor) -> Tensor:
        """A draw of keep (1) or drop (0) for each token that is still there, with the gradient of the soft choice."""
        return gumbel_softmax(scores, hard=True)[..., 0] * kept

    def _highest(self, scores: Tensor, kept: Tensor, share: float) -> Tensor:
        """The tokens of each row in time with the highest scores among those still there: ``share`` of the row."""
        rows = (scores[..., 0].exp() * kept).unflatten(1, (self.tubelets.rows, -1))  # (B, rows, n)
        number = max(1, round(share * rows.shape[-1]))
        chosen = torch.zeros_like(rows).scatter(-1, rows.topk(number, dim=-1).indices, 1.0)
        return chosen.flatten(1) * kept


anonymizer_network = AnonymizerNetwork(
    name="tubelet_dropper",
    build=TubeletDropper,
    about="Video transformer that keeps or drops tubelets (STPrivacy).",
    Options=TubeletDropperOptions,
)
