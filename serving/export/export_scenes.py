#!/usr/bin/env python3
"""Exports the trained scenes models to the directories that the serving node loads.

  /usr/bin/python3 export_scenes.py --weights FOLDER --out ../models

FOLDER is what train_scenes.py wrote. Without --weights the networks are random (to try the loading only).
"""

import argparse
import json
from pathlib import Path

import torch

import model_directory as directory
from scenes import modules, tokens

SHAPES = [[64, 64], [96, 64], [64, 48]]
SCHEDULE = {
    "train_timesteps": 1000, "beta_schedule": "scaled_linear", "beta_start": 0.00085, "beta_end": 0.012, "prediction": "v_prediction",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--revision", default="1")
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    export_pipeline(args.weights, args.out / "scenes", args.revision)
    export_scorer(args.weights, args.out / "clip-scenes", args.revision)


def load(module, weights, name):
    """The module in inference mode: with its trained weights, or, without a folder, with random ones in which nothing is zero."""
    if weights:
        module.load_state_dict(torch.load(weights / f"{name}.weights", weights_only=True))
    else:
        for parameter in module.parameters():
            if not parameter.any():
                torch.nn.init.normal_(parameter, std=0.05)
    return module.eval()


def export_pipeline(weights, folder, revision):
    folder.mkdir(parents=True, exist_ok=True)
    parts = {
        "text_encoder": (load(modules.TextEncoder(len(tokens.VOCABULARY), tokens.MAX_TOKENS), weights, "text_encoder"), directory.Bfloat16Text),
        "denoiser": (load(modules.Denoiser(), weights, "denoiser"), directory.Bfloat16Denoiser),
        "decoder": (load(modules.Decoder(), weights, "decoder"), directory.Bfloat16Decoder),
    }
    # Names inside an archive count what the process compiled before: fp32 comes first, so that other precisions do not change its digest.
    files = {name: {"fp32": directory.save_scripted(module, folder / f"{name}.pt")} for name, (module, _) in parts.items()}
    for name, (module, bfloat16) in parts.items():
        if name != "decoder":  # It has no linear layers.
            files[name]["int8"] = directory.save_scripted(directory.int8(module), folder / f"{name}.int8.pt")
        files[name]["bf16"] = directory.save_scripted(bfloat16(module), folder / f"{name}.bf16.pt")
    write_tokenizer(folder)
    directory.write_pipeline(
        folder, "scenes", revision, files, max_tokens=tokens.MAX_TOKENS,
        latent={"channels": modules.LATENT_CHANNELS, "downscale": modules.DOWNSCALE, "scaling": 1.0},
        shapes=SHAPES, schedule=SCHEDULE, samplers=["euler", "ddim", "dpmpp_2m"],
        default={"sampler": "euler", "steps": 12, "guidance_scale": 2.5})


def export_scorer(weights, folder, revision):
    folder.mkdir(parents=True, exist_ok=True)
    image = load(modules.ImageEncoder(), weights, "scorer_image")
    text = load(modules.PromptEncoder(len(tokens.VOCABULARY), tokens.MAX_TOKENS), weights, "scorer_text")
    head = load(modules.AestheticHead(), weights, "scorer_aesthetic")
    files = {
        "image": directory.save_scripted(image, folder / "image.pt"),
        "text": directory.save_scripted(text, folder / "text.pt"),
        "aesthetic": directory.save_scripted(head, folder / "aesthetic.pt"),
    }
    write_tokenizer(folder)
    directory.write_scorer(
        folder, "clip-scenes", revision, files, max_tokens=tokens.MAX_TOKENS,
        image={"size": 64, "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5], "resize": "bicubic"}, embedding=modules.EMBEDDING)


def write_tokenizer(folder):
    (folder / "tokenizer.json").write_text(json.dumps(tokens.tokenizer_json(), indent=1) + "\n")


if __name__ == "__main__":
    main()
