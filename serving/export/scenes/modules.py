"""The networks. All can be scripted by TorchScript, take any batch and (but for the scorer) any image shape divisible by 8."""

import math

import torch
from torch import nn
from torch.nn import functional as F

WIDTH = 128
LATENT_CHANNELS = 4
DOWNSCALE = 4
# Cells of the latent, across and down, that the denoiser takes as one token.
PATCH = 2
EMBEDDING = 64


class Autoencoder(nn.Module):
    """RGB to a latent of 4 channels at a quarter of the size, and back. Both ways are a linear map of patches plus what convolutions add."""

    def __init__(self):
        super().__init__()
        self.patches = nn.PixelUnshuffle(DOWNSCALE)
        self.linear = nn.Conv2d(48, LATENT_CHANNELS, 1)
        self.layers = nn.Sequential(
            nn.Conv2d(48, 64, 3, padding=1), nn.SiLU(), nn.Conv2d(64, 64, 3, padding=1), nn.SiLU(), nn.Conv2d(64, LATENT_CHANNELS, 1))
        self.decoder = Decoder()

    def encode(self, image):
        """The latent before normalisation, within -3..3."""
        patches = self.patches(image)
        return torch.tanh((self.linear(patches) + self.layers(patches)) / 3) * 3

    def forward(self, image, noise: float):
        latent = self.encode(image)
        return self.decoder(latent + noise * torch.randn_like(latent)), latent


class Decoder(nn.Module):
    """Latent [B, C, h, w] to RGB [B, 3, 4h, 4w] in -1..1. mean and std undo the normalisation of the latent."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(1, LATENT_CHANNELS, 1, 1))
        self.register_buffer("std", torch.ones(1, LATENT_CHANNELS, 1, 1))
        self.linear = nn.Sequential(nn.Conv2d(LATENT_CHANNELS, 48, 1), nn.PixelShuffle(DOWNSCALE))
        self.layers = nn.Sequential(
            nn.Conv2d(LATENT_CHANNELS, 64, 3, padding=1), nn.SiLU(), nn.Conv2d(64, 64, 3, padding=1), nn.SiLU(),
            nn.Conv2d(64, 64, 3, padding=1), nn.SiLU(), nn.Conv2d(64, 96, 1), nn.PixelShuffle(2), nn.SiLU(),
            nn.Conv2d(24, 24, 3, padding=1), nn.SiLU(), nn.Conv2d(24, 12, 3, padding=1), nn.PixelShuffle(2))

    def forward(self, latent):
        x = latent * self.std + self.mean
        return (self.linear(x) + self.layers(x)).clamp(-1.2, 1.2)


class Attention(nn.Module):
    """Multi-head attention of x over a context, of which masked places (0) are not seen."""

    def __init__(self, width: int, context: int, heads: int):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(context, 2 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x, context, bias):
        b, n, d = x.shape
        m = context.shape[1]
        h = self.heads
        q = self.query(x).view(b, n, h, d // h).transpose(1, 2)
        kv = self.key_value(context).view(b, m, 2, h, d // h).permute(2, 0, 3, 1, 4)
        scores = torch.matmul(q * (1.0 / math.sqrt(d // h)), kv[0].transpose(2, 3)) + bias
        mixed = torch.matmul(torch.softmax(scores, dim=-1), kv[1])
        return self.out(mixed.transpose(1, 2).reshape(b, n, d))


class TextBlock(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width))

    def forward(self, x, bias):
        y = self.norm1(x)
        x = x + self.attention(y, y, bias)
        return x + self.mlp(self.norm2(x))


class TextEncoder(nn.Module):
    """ids int64 [B, L], mask float [B, L] to [B, L, D]. A token's output does not depend on padding after it."""

    def __init__(self, vocabulary: int, max_tokens: int, width: int = WIDTH, layers: int = 2):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Parameter(torch.randn(1, max_tokens, width) * 0.02)
        nn.init.normal_(self.tokens.weight, std=0.1)
        self.blocks = nn.ModuleList(TextBlock(width, 4) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, ids, mask):
        x = self.tokens(ids) + self.positions[:, : ids.shape[1]]
        bias = ((mask - 1.0) * 10000.0).unsqueeze(1).unsqueeze(1).to(x.dtype)
        for block in self.blocks:
            x = block(x, bias)
        return self.norm(x)


def waves(x, count: int, base: float):
    """Sines and cosines of x at `count` frequencies from 1 down to 1/base: [..., 2 count]."""
    steps = torch.arange(count, dtype=torch.float32, device=x.device)
    angle = x.unsqueeze(-1) * torch.exp(-math.log(base) * steps / count)
    return torch.cat([torch.sin(angle), torch.cos(angle)], dim=-1)


class DenoiserBlock(nn.Module):
    """Self-attention, cross-attention to the conditioning, and a feed-forward layer that also looks at the neighbouring cells."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.modulation = nn.Linear(width, 6 * width)
        nn.init.zeros_(self.modulation.weight)
        nn.init.zeros_(self.modulation.bias)
        self.norm1 = nn.LayerNorm(width, elementwise_affine=False)
        self.self_attention = Attention(width, width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.cross_attention = Attention(width, width, heads)
        nn.init.zeros_(self.cross_attention.out.weight)
        self.norm3 = nn.LayerNorm(width, elementwise_affine=False)
        self.up = nn.Linear(width, 3 * width)
        self.near = nn.Conv2d(3 * width, 3 * width, 3, padding=1, groups=3 * width)
        self.down = nn.Linear(3 * width, width)

    def forward(self, x, time, cond, bias, h: int, w: int):
        m = self.modulation(time).unsqueeze(1).chunk(6, dim=2)
        y = self.norm1(x) * (1 + m[0]) + m[1]
        x = x + m[2] * self.self_attention(y, y, torch.zeros(1, device=x.device, dtype=x.dtype))
        x = x + self.cross_attention(self.norm2(x), cond, bias)
        y = self.up(self.norm3(x) * (1 + m[3]) + m[4])
        b, n, d = y.shape
        grid = y.transpose(1, 2).reshape(b, d, h, w)
        grid = F.relu(grid + self.near(grid))
        return x + m[5] * self.down(grid.reshape(b, d, n).transpose(1, 2))


class Denoiser(nn.Module):
    """latent [B, C, h, w], timestep float [B] (0 to 999), cond [B, L, D], mask [B, L] to the velocity [B, C, h, w]."""

    def __init__(self, width: int = WIDTH, layers: int = 4, heads: int = 2):
        super().__init__()
        cell = LATENT_CHANNELS * PATCH * PATCH
        self.stem = nn.Sequential(nn.PixelUnshuffle(PATCH), nn.Conv2d(cell, width, 3, padding=1))
        self.place = nn.Linear(48, width)
        self.time = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU())
        self.blocks = nn.ModuleList(DenoiserBlock(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, cell)
        nn.init.zeros_(self.out.weight)
        self.merge = nn.PixelShuffle(PATCH)
        self.width = width

    def places(self, h: int, w: int, device: torch.device):
        """Where each cell is: in units of the image (left, middle), and of cells (near, far)."""
        rows = torch.arange(h, dtype=torch.float32, device=device)
        columns = torch.arange(w, dtype=torch.float32, device=device)
        y = torch.cat([waves((rows + 0.5) / h * 12.0, 8, 16.0), waves(rows, 4, 16.0)], dim=1)
        x = torch.cat([waves((columns + 0.5) / w * 12.0, 8, 16.0), waves(columns, 4, 16.0)], dim=1)
        return torch.cat([y.unsqueeze(1).expand(h, w, 24), x.unsqueeze(0).expand(h, w, 24)], dim=2).reshape(1, h * w, 48)

    def forward(self, latent, timestep, cond, mask):
        dtype = latent.dtype
        x = self.stem(latent)
        b, _, h, w = x.shape
        x = x.reshape(b, self.width, h * w).transpose(1, 2)
        x = x + self.place(self.places(h, w, latent.device).to(dtype))
        time = self.time(waves(timestep.to(torch.float32), self.width // 2, 10000.0).to(dtype))
        bias = ((mask - 1.0) * 10000.0).unsqueeze(1).unsqueeze(1).to(dtype)
        for block in self.blocks:
            x = block(x, time, cond, bias, h, w)
        x = self.out(self.norm(x)).transpose(1, 2)
        return self.merge(x.reshape(b, x.shape[1], h, w))


class ImageEncoder(nn.Module):
    """rgb [B, 3, 64, 64], normalised, to an embedding [B, E]."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.PixelUnshuffle(4), nn.Conv2d(48, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 128, 4, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(128, 128, 3, padding=1))
        self.positions = nn.Parameter(torch.randn(1, 64, 128) * 0.02)
        self.blocks = nn.ModuleList(TextBlock(128, 4) for _ in range(1))
        self.norm = nn.LayerNorm(128)
        self.out = nn.Linear(256, EMBEDDING)

    def forward(self, rgb):
        x = self.layers(rgb).flatten(2).transpose(1, 2) + self.positions
        bias = torch.zeros(1, device=x.device, dtype=x.dtype)
        for block in self.blocks:
            x = block(x, bias)
        x = self.norm(x)
        return self.out(torch.cat([x.mean(dim=1), x.amax(dim=1)], dim=1))


class PromptEncoder(nn.Module):
    """ids int64 [B, L], mask float [B, L] to an embedding [B, E]: the mean over the tokens of a text encoder."""

    def __init__(self, vocabulary: int, max_tokens: int):
        super().__init__()
        self.encoder = TextEncoder(vocabulary, max_tokens, 96, 2)
        self.out = nn.Linear(96, EMBEDDING)

    def forward(self, ids, mask):
        x = self.encoder(ids, mask) * mask.unsqueeze(2)
        return self.out(x.sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1.0))


class AestheticHead(nn.Module):
    """L2-normalised image embedding [B, E] to a score [B, 1], 1 (worst) to 10."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(EMBEDDING, 1)
        nn.init.constant_(self.linear.bias, 5.5)

    def forward(self, embedding):
        return self.linear(embedding)
