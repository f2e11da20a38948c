"""The exported models, loaded back as the node would load them, for measuring and looking. Euler only; the node has more samplers."""

import json

import torch
from torch.nn import functional as F

from . import sampling, tokens


class Pipeline:
    """A pipeline directory at one precision."""

    def __init__(self, folder, precision="fp32"):
        torch.backends.quantized.engine = "onednn"
        files = json.loads((folder / "pipeline.json").read_text())["files"]
        parts = {name: torch.jit.load(str(folder / variants.get(precision, variants["fp32"]))) for name, variants in files.items()}
        self.text_encoder, self.denoiser, self.decoder = (parts[n] for n in ("text_encoder", "denoiser", "decoder"))

    @torch.no_grad()
    def generate(self, texts, seeds, width=64, height=64, steps=12, guidance=2.5, change=lambda cond, mask: cond):
        return sampling.generate(self.text_encoder, self.denoiser, self.decoder, texts, seeds, width, height, steps, guidance, change)


class Scorer:
    """A scorer directory."""

    def __init__(self, folder):
        files = json.loads((folder / "scorer.json").read_text())["files"]
        self.image, self.text, self.aesthetic = (torch.jit.load(str(folder / files[n])) for n in ("image", "text", "aesthetic"))

    @torch.no_grad()
    def images(self, images):
        """Normalised embeddings [N, E] of images in -1..1 (the declared mean and std of 0.5 on 0..1)."""
        small = F.interpolate(images, size=(64, 64), mode="bicubic", align_corners=False).clamp(-1, 1)
        return F.normalize(self.image(small), dim=1)

    @torch.no_grad()
    def texts(self, texts):
        return F.normalize(self.text(*tokens.batch(texts)), dim=1)

    @torch.no_grad()
    def aesthetics(self, embedded):
        return self.aesthetic(embedded).squeeze(1)
