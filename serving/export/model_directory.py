"""Writes model directories: TorchScript archives per precision, and the manifest (pipeline.json or scorer.json) with their digests."""

import copy
import hashlib
import json
import warnings
from pathlib import Path

import torch
from torch import nn

# The CPU kernels that both the exporting and the serving side have for dynamically quantised layers.
QUANTISED_ENGINE = "onednn"


class Bfloat16(nn.Module):
    """Runs a module in bfloat16 behind float32 inputs and outputs; integer inputs pass as they are."""

    def __init__(self, module):
        super().__init__()
        self.module = copy.deepcopy(module).to(torch.bfloat16)


class Bfloat16Text(Bfloat16):
    def forward(self, ids, mask):
        return self.module(ids, mask.to(torch.bfloat16)).to(torch.float32)


class Bfloat16Denoiser(Bfloat16):
    def forward(self, latent, timestep, cond, mask):
        b = torch.bfloat16
        return self.module(latent.to(b), timestep, cond.to(b), mask.to(b)).to(torch.float32)


class Bfloat16Decoder(Bfloat16):
    def forward(self, latent):
        return self.module(latent.to(torch.bfloat16)).to(torch.float32)


def int8(module):
    """The module with its linear layers dynamically quantised: int8 weights, activations quantised per call over the whole batch."""
    torch.backends.quantized.engine = QUANTISED_ENGINE
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.quantization.quantize_dynamic(copy.deepcopy(module).eval(), {nn.Linear}, dtype=torch.qint8)


def save_scripted(module, path: Path):
    """Compiles a module to TorchScript and writes it; returns the file's name."""
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.script(module.eval()).save(str(path))
    return path.name


def save_traced(module, inputs, path: Path):
    """Traces a module on example inputs and writes it; returns the file's name. For modules that TorchScript cannot compile."""
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.jit.trace(module.eval(), inputs, check_trace=False, strict=False).save(str(path))
    return path.name


def sha256(path: Path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def weights_digest(digests):
    """The model's identity: over the sorted lines "name sha256" of its fp32 files."""
    lines = "".join(f"{name} {digest}\n" for name, digest in sorted(digests.items()))
    return "sha256:" + hashlib.sha256(lines.encode()).hexdigest()


def write_pipeline(folder: Path, name, revision, files, **facts):
    """Writes pipeline.json. files: component to precision to file name, each in the folder already, as is tokenizer.json."""
    names = {n for variants in files.values() for n in variants.values()}
    digests = {n: sha256(folder / n) for n in sorted(names | {"tokenizer.json"})}
    full = {n: digests[n] for n in (variants["fp32"] for variants in files.values())}
    document = {"format": 1, "name": name, "revision": revision, "weights_digest": weights_digest(full), "files": files, "sha256": digests}
    _write_json(folder / "pipeline.json", {**document, "tokenizer": "tokenizer.json", **facts})


def write_scorer(folder: Path, name, revision, files, **facts):
    """Writes scorer.json. files: part (image, text, aesthetic) to file name."""
    digests = {n: sha256(folder / n) for n in sorted({*files.values(), "tokenizer.json"})}
    full = {n: digests[n] for n in files.values()}
    document = {"format": 1, "name": name, "revision": revision, "digest": weights_digest(full), "files": files, "sha256": digests}
    _write_json(folder / "scorer.json", {**document, "tokenizer": "tokenizer.json", **facts})


def _write_json(path, document):
    path.write_text(json.dumps(document, indent=2) + "\n")
