#!/usr/bin/env python3
"""Exports a Stable Diffusion 1.5 or XL class pipeline (diffusers) to the directory that the serving node loads.

  python3 export_diffusers.py --model FOLDER_OR_HUB_NAME --out FOLDER --name NAME [--precisions fp32,bf16,int8]
  python3 export_diffusers.py --random-small sd|sdxl --out FOLDER --name NAME

The first needs torch, transformers and diffusers, and the model's files. The second needs torch alone: small random modules that are
called and answer as those of diffusers and transformers do, to try everything here but these two libraries.

Every traced module is run again, on another batch size and another image shape, and must agree with the original before it is kept.
"""

import argparse
import copy
import json
from pathlib import Path

import torch
from torch import nn

import model_directory as directory

# Largest difference between a traced module and the original, relative to the largest output.
TOLERANCE = 1e-3


class TextEncoderAdapter(nn.Module):
    """(ids, mask) to the conditioning [B, L, D] of Stable Diffusion 1.5: the last hidden state. Padding becomes the pipeline's own pad token."""

    def __init__(self, model, pad):
        super().__init__()
        self.model, self.pad = model, pad

    def forward(self, ids, mask):
        return self.model(padded(ids, mask, self.pad)).last_hidden_state


class TwoTextEncodersAdapter(nn.Module):
    """(ids, mask) to the conditioning of Stable Diffusion XL: the last but one hidden states of both encoders side by side, and behind
    them, the same at each token, the pooled embedding of the second. So the conditioning stays one tensor [B, L, D1 + D2 + P]."""

    def __init__(self, first, second, pads):
        super().__init__()
        self.first, self.second, self.pads = first, second, pads

    def forward(self, ids, mask):
        one = self.first(padded(ids, mask, self.pads[0]), output_hidden_states=True)
        two = self.second(padded(ids, mask, self.pads[1]), output_hidden_states=True)
        hidden = torch.cat([one.hidden_states[-2], two.hidden_states[-2]], dim=-1)
        pooled = two.text_embeds.unsqueeze(1).expand(-1, hidden.shape[1], -1)
        return torch.cat([hidden, pooled], dim=-1)


def padded(ids, mask, pad):
    return torch.where(mask > 0, ids, torch.full_like(ids, pad))


class DenoiserAdapter(nn.Module):
    """(latent, timestep, cond, mask) to the U-Net's output. Stable Diffusion attends to padding too, so the mask is not used."""

    def __init__(self, unet):
        super().__init__()
        self.unet = unet

    def forward(self, latent, timestep, cond, mask):
        return self.unet(latent, timestep, encoder_hidden_states=cond, return_dict=False)[0] + 0 * mask.sum()


class PooledDenoiserAdapter(nn.Module):
    """The same for Stable Diffusion XL: takes the pooled embedding out of the conditioning; original and target size are the image's."""

    def __init__(self, unet, pooled, downscale):
        super().__init__()
        self.unet, self.pooled, self.downscale = unet, pooled, downscale

    def forward(self, latent, timestep, cond, mask):
        ones = torch.ones_like(latent[:, :1])
        height = ones[:, 0, :, 0].sum(dim=1) * self.downscale
        width = ones[:, 0, 0, :].sum(dim=1) * self.downscale
        zero = torch.zeros_like(height)
        added = {
            "text_embeds": cond[:, 0, -self.pooled :],
            "time_ids": torch.stack([height, width, zero, zero, height, width], dim=1),
        }
        hidden = cond[:, :, : -self.pooled]
        output = self.unet(latent, timestep, encoder_hidden_states=hidden, added_cond_kwargs=added, return_dict=False)[0]
        return output + 0 * mask.sum()


class DecoderAdapter(nn.Module):
    """latent (already divided by the scaling factor) to RGB in -1..1."""

    def __init__(self, vae):
        super().__init__()
        self.vae = vae

    def forward(self, latent):
        return self.vae.decode(latent, return_dict=False)[0].clamp(-1, 1)


class Bfloat16Pipeline(nn.Module):
    """A copy of an adapter in bfloat16, behind float32 inputs and outputs. The timestep stays float32."""

    def __init__(self, adapter, keep=()):
        super().__init__()
        self.adapter, self.keep = copy.deepcopy(adapter).to(torch.bfloat16), keep

    def forward(self, *inputs):
        inputs = [x.to(torch.bfloat16) if x.is_floating_point() and k not in self.keep else x for k, x in enumerate(inputs)]
        return self.adapter(*inputs).to(torch.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--model", help="folder or hub name of a diffusers pipeline")
    source.add_argument("--random-small", choices=["sd", "sdxl"], help="small random modules instead")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--revision", default="1")
    parser.add_argument("--precisions", default="fp32,bf16", help="of fp32, bf16, int8; fp32 is always written")
    args = parser.parse_args()
    precisions = args.precisions.split(",")
    if not set(precisions) <= {"fp32", "bf16", "int8"}:
        parser.error(f"--precisions {args.precisions}: must be of fp32, bf16, int8")
    if args.random_small:
        import stand_ins

        pipeline = stand_ins.pipeline(args.random_small)
    else:
        pipeline = from_diffusers(args.model)
    export(pipeline, args.out, args.name, args.revision, precisions)


def from_diffusers(model):
    """Loads a pipeline, in float32, with a fast tokenizer."""
    from diffusers import DiffusionPipeline
    from transformers import CLIPTokenizerFast

    pipeline = DiffusionPipeline.from_pretrained(model, torch_dtype=torch.float32)
    fast = CLIPTokenizerFast.from_pretrained(pipeline.tokenizer.name_or_path)
    pipeline.tokenizer_document = json.loads(fast.backend_tokenizer.to_str())
    # Traced attention must not depend on a kernel that only some machines have.
    pipeline.unet.set_default_attn_processor()
    pipeline.vae.set_default_attn_processor()
    return pipeline


def require_sayable(config):
    """Fails on what pipeline.json has no words for: the images would be wrong without a word. config: the scheduler's."""
    problems = [
        f"{field} {getattr(config, field)}: the nodes' schedules have no such thing"
        for field in ("rescale_betas_zero_snr", "trained_betas") if getattr(config, field, None) not in (None, False)]
    allowed = {
        "prediction_type": ("epsilon", "v_prediction"), "beta_schedule": ("linear", "scaled_linear", "squaredcos_cap_v2")}
    problems += [
        f"{field} {getattr(config, field, None)}: must be one of {', '.join(words)}"
        for field, words in allowed.items() if getattr(config, field, None) not in words]
    if problems:
        raise SystemExit("scheduler: " + "; ".join(problems))


def export(pipeline, folder, name, revision, precisions):
    require_sayable(pipeline.scheduler.config)
    folder.mkdir(parents=True, exist_ok=True)
    length = pipeline.tokenizer.model_max_length
    downscale = 2 ** (len(pipeline.vae.config.block_out_channels) - 1)
    size = pipeline.unet.config.sample_size
    shapes = [(size, size), (size, size * 3 // 4 // 8 * 8)]
    text, denoiser = adapters(pipeline, downscale)
    channels = pipeline.unet.config.in_channels
    texts = [(ids(b, length, pipeline.tokenizer), masks(b, length)) for b in (1, 3)]
    with torch.no_grad():
        width = text(*texts[0]).shape[-1]
    steps = [
        (torch.randn(b, channels, h, w), torch.linspace(900, 20, b), torch.randn(b, length, width), masks(b, length))
        for b, (w, h) in zip((2, 3), shapes)]
    latents = [(torch.randn(b, channels, h, w),) for b, (w, h) in zip((1, 2), shapes)]
    parts = [
        ("text_encoder", text.eval(), texts, ()), ("denoiser", denoiser.eval(), steps, (1,)),
        ("decoder", DecoderAdapter(pipeline.vae).eval(), latents, ())]
    # Names inside an archive count what the process traced before: fp32 comes first, so that other precisions do not change its digest.
    files = {part: {"fp32": save(adapter, inputs, folder / f"{part}.pt")} for part, adapter, inputs, _ in parts}
    for part, adapter, inputs, keep in parts:
        files[part].update(variants(part, adapter, inputs, keep, folder, precisions))
    (folder / "tokenizer.json").write_text(json.dumps(fixed_length(pipeline.tokenizer_document, length, pipeline.tokenizer)) + "\n")
    config = pipeline.scheduler.config
    directory.write_pipeline(
        folder, name, revision, files, max_tokens=length, pad_to_max_tokens=True,
        latent={"channels": channels, "downscale": downscale, "scaling": pipeline.vae.config.scaling_factor},
        shapes=[[w * downscale, h * downscale] for w, h in shapes],
        schedule={
            "train_timesteps": config.num_train_timesteps, "beta_schedule": config.beta_schedule, "beta_start": config.beta_start,
            "beta_end": config.beta_end, "prediction": config.prediction_type,
        },
        samplers=["euler", "ddim", "dpmpp_2m"], default={"sampler": "euler", "steps": 25, "guidance_scale": 7.5})


def adapters(pipeline, downscale):
    """The text side and the denoiser: one text encoder is Stable Diffusion 1.5's way, two are XL's."""
    second = getattr(pipeline, "text_encoder_2", None)
    pad = pipeline.tokenizer.pad_token_id
    if second is None:
        return TextEncoderAdapter(pipeline.text_encoder, pad).eval(), DenoiserAdapter(pipeline.unet)
    text = TwoTextEncodersAdapter(pipeline.text_encoder, second, (pad, pipeline.tokenizer_2.pad_token_id))
    return text.eval(), PooledDenoiserAdapter(pipeline.unet, second.config.projection_dim, downscale)


def variants(part, adapter, inputs, keep, folder, precisions):
    """Writes one component at the lower precisions; returns precision to file name. keep: inputs that stay float32."""
    files = {}
    if "bf16" in precisions:
        files["bf16"] = save(Bfloat16Pipeline(adapter, keep), inputs, folder / f"{part}.bf16.pt")
    if "int8" in precisions and any(isinstance(m, nn.Linear) for m in adapter.modules()):
        files["int8"] = save(directory.int8(adapter), inputs, folder / f"{part}.int8.pt")
    return files


def save(module, inputs, path):
    """Traces on the first example, writes, loads back, and checks all examples; returns the file's name."""
    name = directory.save_traced(module, inputs[0], path)
    traced = torch.jit.load(str(path))
    for example in inputs:
        with torch.no_grad():
            expected, actual = module(*example), traced(*example)
        if actual.shape != expected.shape or (actual - expected).abs().max() > TOLERANCE * expected.abs().max():
            path.unlink()
            raise SystemExit(f"{name}: traced differs from the original on inputs of shapes {[tuple(x.shape) for x in example]}")
    return name


def ids(batch, length, tokenizer):
    """Token ids of two thirds of the length, with start, end and padding."""
    rows = torch.randint(0, tokenizer.bos_token_id, (batch, length))
    rows[:, 0] = tokenizer.bos_token_id
    rows[:, length * 2 // 3 :] = tokenizer.eos_token_id
    return rows


def masks(batch, length):
    mask = torch.ones(batch, length)
    mask[:, length * 2 // 3 + 1 :] = 0
    return mask


def fixed_length(document, length, tokenizer):
    """tokenizer.json that cuts and pads to the length at which the text encoder was traced."""
    return {
        **document,
        "truncation": {"direction": "Right", "max_length": length, "strategy": "LongestFirst", "stride": 0},
        "padding": {
            "strategy": {"Fixed": length}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": tokenizer.pad_token_id,
            "pad_type_id": 0, "pad_token": tokenizer.pad_token,
        },
    }


if __name__ == "__main__":
    main()
