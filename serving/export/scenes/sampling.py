"""Noise levels, and a plain Euler sampler with classifier-free guidance, to look at what the models make. The node has its own."""

import torch

from . import modules, tokens

TRAIN_TIMESTEPS = 1000


def signal_levels():
    """Cumulative products of 1 - beta, "scaled_linear" from 0.00085 to 0.012."""
    betas = torch.linspace(0.00085 ** 0.5, 0.012 ** 0.5, TRAIN_TIMESTEPS, dtype=torch.float64) ** 2
    return torch.cumprod(1 - betas, dim=0).float()


@torch.no_grad()
def sample(denoiser, cond, mask, null, null_mask, noise, steps=12, guidance=2.5):
    """Latents [B, C, h, w] from noise, in `steps` Euler steps from timestep 999 down (deterministic, as DDIM with eta 0)."""
    signal = signal_levels()
    times = torch.linspace(TRAIN_TIMESTEPS - 1, 0, steps + 1).round().long()
    x = noise
    for k in range(steps):
        t = times[k]
        a, b = signal[t], signal[times[k + 1]] if k + 1 < steps else torch.tensor(1.0)
        batch_t = torch.full((len(x),), float(t))
        v = denoiser(x, batch_t, cond, mask)
        if guidance != 1:
            v0 = denoiser(x, batch_t, null, null_mask)
            v = v0 + guidance * (v - v0)
        clean = a.sqrt() * x - (1 - a).sqrt() * v
        noise_now = (1 - a).sqrt() * x + a.sqrt() * v
        x = b.sqrt() * clean + (1 - b).sqrt() * noise_now
    return x


@torch.no_grad()
def generate(text_encoder, denoiser, decoder, texts, seeds, width=64, height=64, steps=12, guidance=2.5, change=lambda cond, mask: cond):
    """Images [B, 3, height, width] in -1..1, one per text and seed; `change` may alter the conditioning (to see what that does)."""
    ids, mask = tokens.batch(texts)
    cond = change(text_encoder(ids, mask), mask)
    null_ids, null_mask = tokens.batch([""] * len(texts))
    null = text_encoder(null_ids, null_mask)
    shape = (modules.LATENT_CHANNELS, height // modules.DOWNSCALE, width // modules.DOWNSCALE)
    noise = torch.stack([torch.randn(shape, generator=torch.Generator().manual_seed(s)) for s in seeds])
    return decoder(sample(denoiser, cond, mask, null, null_mask, noise, steps, guidance)).clamp(-1, 1)
