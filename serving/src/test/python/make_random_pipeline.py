"""Makes serving/src/test/resources/pipeline-random: a pipeline of the agreed form with random weights.

    python3 serving/src/test/python/make_random_pipeline.py        # from the root; needs torch 1.13 or later

The modules have what the engine's tests need and nothing more: conditioning that depends on every token and on the
mask, attention of each latent position to the tokens, per-sample timesteps, linear layers to quantise. The same seed gives
the same weights. `other/text_encoder.pt` has other weights, for reloading.
"""
import hashlib
import json
import math
import pathlib

import torch
from torch import nn

OUT = pathlib.Path(__file__).resolve().parent.parent / "resources" / "pipeline-random"
WORDS = (
    "a an the and of left right above below on red green blue yellow circle square triangle small large background white "
    "black two three"
).split()
SPECIAL = ["<pad>", "<start>", "<end>", "<unk>"]
DIM, LATENT, WIDTH, MAX_TOKENS = 24, 4, 24, 24


class TextEncoder(nn.Module):
    """ids [B,L], mask [B,L] -> [B,L,DIM]: one block of masked self-attention."""

    def __init__(self):
        super().__init__()
        self.scale = DIM**-0.5
        self.token = nn.Embedding(len(SPECIAL) + len(WORDS), DIM)
        self.position = nn.Embedding(MAX_TOKENS, DIM)
        self.query, self.key, self.value = nn.Linear(DIM, DIM), nn.Linear(DIM, DIM), nn.Linear(DIM, DIM)
        self.up, self.down, self.norm = nn.Linear(DIM, 2 * DIM), nn.Linear(2 * DIM, DIM), nn.LayerNorm(DIM)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        dtype = self.token.weight.dtype
        x = self.token(ids) + self.position(torch.arange(ids.size(1), device=ids.device)).unsqueeze(0)
        scores = torch.matmul(self.query(x), self.key(x).transpose(1, 2)) * self.scale
        scores = scores + ((mask - 1.0) * 1e4).to(dtype).unsqueeze(1)
        x = x + torch.matmul(torch.softmax(scores, dim=-1), self.value(x))
        x = x + self.down(torch.relu(self.up(x)))
        return self.norm(x).to(torch.float32)


class Denoiser(nn.Module):
    """latent [B,C,h,w], timestep [B], cond [B,L,DIM], mask [B,L] -> [B,C,h,w]."""

    def __init__(self):
        super().__init__()
        self.scale = WIDTH**-0.5
        self.enter, self.leave = nn.Conv2d(LATENT, WIDTH, 3, padding=1), nn.Conv2d(WIDTH, LATENT, 3, padding=1)
        self.time = nn.Linear(16, WIDTH)
        self.query, self.key, self.value = nn.Linear(WIDTH, WIDTH), nn.Linear(DIM, WIDTH), nn.Linear(DIM, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, latent: torch.Tensor, timestep: torch.Tensor, cond: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        dtype = self.enter.weight.dtype
        frequency = torch.exp(torch.arange(8, device=latent.device).to(torch.float32) * (-math.log(1000.0) / 8.0))
        angle = timestep.unsqueeze(1) * frequency.unsqueeze(0)
        time = self.time(torch.cat([torch.sin(angle), torch.cos(angle)], dim=1).to(dtype))
        x = self.enter(latent.to(dtype))
        b, c, h, w = x.shape
        x = x.flatten(2).transpose(1, 2) + time.unsqueeze(1)
        cond = cond.to(dtype)
        scores = torch.matmul(self.query(x), self.key(cond).transpose(1, 2)) * self.scale
        scores = scores + ((mask - 1.0) * 1e4).to(dtype).unsqueeze(1)
        x = x + torch.matmul(torch.softmax(scores, dim=-1), self.value(cond))
        x = x + self.down(torch.relu(self.up(x)))
        x = x.transpose(1, 2).reshape(b, c, h, w)
        return self.leave(torch.tanh(x)).to(torch.float32)


class Decoder(nn.Module):
    """latent [B,C,h,w] -> [B,3,4h,4w] in -1..1."""

    def __init__(self):
        super().__init__()
        self.out = nn.Conv2d(LATENT, 3, 3, padding=1)

    def forward(self, latent: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.out(torch.nn.functional.interpolate(latent, scale_factor=4.0, mode="nearest")))


def save(module, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.jit.save(torch.jit.script(module.eval()), str(path))


def quantised(module):
    torch.backends.quantized.engine = "onednn"
    return torch.quantization.quantize_dynamic(module.eval(), {nn.Linear}, dtype=torch.qint8)


def tokenizer():
    vocabulary = {word: i for i, word in enumerate(SPECIAL + WORDS)}
    added = [
        {"id": vocabulary[t], "content": t, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
        for t in SPECIAL
    ]
    start, end = {"SpecialToken": {"id": "<start>", "type_id": 0}}, {"SpecialToken": {"id": "<end>", "type_id": 0}}
    return {
        "version": "1.0",
        "truncation": None,
        # A padding that the engine has to ignore.
        "padding": {"strategy": {"Fixed": 24}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0, "pad_token": "<pad>"},
        "added_tokens": added,
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [start, {"Sequence": {"id": "A", "type_id": 0}}, end],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {t: {"id": t, "ids": [vocabulary[t]], "tokens": [t]} for t in ("<start>", "<end>")},
        },
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "<unk>"},
    }


def main():
    torch.manual_seed(20240601)
    OUT.mkdir(parents=True, exist_ok=True)
    text, denoiser, decoder = TextEncoder(), Denoiser(), Decoder()
    save(text, OUT / "text_encoder.pt")
    save(denoiser, OUT / "denoiser.pt")
    save(decoder, OUT / "decoder.pt")
    save(quantised(text), OUT / "text_encoder.int8.pt")
    save(quantised(denoiser), OUT / "denoiser.int8.pt")
    save(denoiser.to(torch.bfloat16), OUT / "denoiser.bf16.pt")
    save(TextEncoder(), OUT / "other" / "text_encoder.pt")
    (OUT / "tokenizer.json").write_text(json.dumps(tokenizer(), indent=1) + "\n")

    names = sorted(p.name for p in OUT.iterdir() if p.suffix == ".pt") + ["tokenizer.json"]
    sha = {name: hashlib.sha256((OUT / name).read_bytes()).hexdigest() for name in names}
    fp32 = ["decoder.pt", "denoiser.pt", "text_encoder.pt"]
    digest = hashlib.sha256("".join(f"{name} {sha[name]}\n" for name in fp32).encode()).hexdigest()
    manifest = {
        "format": 1,
        "name": "random",
        "revision": "1",
        "weights_digest": "sha256:" + digest,
        "files": {
            "text_encoder": {"fp32": "text_encoder.pt", "int8": "text_encoder.int8.pt"},
            "denoiser": {"fp32": "denoiser.pt", "int8": "denoiser.int8.pt", "bf16": "denoiser.bf16.pt"},
            "decoder": {"fp32": "decoder.pt"},
        },
        "sha256": sha,
        "tokenizer": "tokenizer.json",
        "max_tokens": MAX_TOKENS,
        "latent": {"channels": LATENT, "downscale": 4, "scaling": 0.5},
        "shapes": [[32, 32], [32, 24]],
        "schedule": {"train_timesteps": 1000, "beta_schedule": "scaled_linear", "beta_start": 0.00085, "beta_end": 0.012, "prediction": "epsilon"},
        "samplers": ["euler", "ddim", "dpmpp_2m"],
        "default": {"sampler": "euler", "steps": 6, "guidance_scale": 3.0},
    }
    (OUT / "pipeline.json").write_text(json.dumps(manifest, indent=1) + "\n")


if __name__ == "__main__":
    main()
