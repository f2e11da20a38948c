#!/usr/bin/env python3
"""Exports CLIP (transformers; ViT-L/14 and its kin) and a linear aesthetic head to the directory that the scorer loads.

  python3 export_clip.py --model openai/clip-vit-large-patch14 --aesthetic sa_0_4_vit_l_14_linear.pth --out FOLDER --name clip-vit-l-14
  python3 export_clip.py --random-small --out FOLDER --name NAME

--aesthetic is a state dictionary with weight [1, E] and bias [1] of a linear layer on the L2-normalised image embedding, as LAION
publishes for ViT-L/14. The second form needs torch alone and writes small random modules, to try everything but transformers.
"""

import argparse
import json
from pathlib import Path

import torch
from torch import nn

import model_directory as directory
from export_diffusers import fixed_length, ids, masks, padded, save

# Mean and standard deviation of CLIP's own preprocessing.
MEAN, STD = [0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711]


class ImageAdapter(nn.Module):
    """rgb [B, 3, S, S], normalised, to the embedding [B, E]."""

    def __init__(self, clip):
        super().__init__()
        self.clip = clip

    def forward(self, rgb):
        return self.clip.get_image_features(pixel_values=rgb)


class TextAdapter(nn.Module):
    """(ids, mask) to the embedding [B, E], whatever the padding id of the caller."""

    def __init__(self, clip, pad):
        super().__init__()
        self.clip, self.pad = clip, pad

    def forward(self, ids, mask):
        return self.clip.get_text_features(input_ids=padded(ids, mask, self.pad), attention_mask=mask)


class AestheticHead(nn.Module):
    """L2-normalised embedding [B, E] to a score [B, 1]."""

    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, 1)

    def forward(self, embedding):
        return self.linear(embedding)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--model", help="folder or hub name of a CLIP model")
    source.add_argument("--random-small", action="store_true")
    parser.add_argument("--aesthetic", type=Path, help="weights of the aesthetic head; needed with --model")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--revision", default="1")
    args = parser.parse_args()
    if args.model and not args.aesthetic:
        parser.error("--aesthetic is needed with --model: a linear head's weights")
    if args.random_small:
        import stand_ins

        clip, tokenizer, document = stand_ins.clip()
    else:
        clip, tokenizer, document = from_transformers(args.model)
    head = AestheticHead(clip.config.projection_dim)
    if args.aesthetic:
        weights = torch.load(args.aesthetic, map_location="cpu", weights_only=True)
        head.linear.load_state_dict({"weight": weights["weight"], "bias": weights["bias"]})
    export(clip, head.eval(), tokenizer, document, args.out, args.name, args.revision)


def from_transformers(model):
    from transformers import CLIPModel, CLIPTokenizerFast

    tokenizer = CLIPTokenizerFast.from_pretrained(model)
    # The plain attention: traced code must not depend on a kernel that only some machines have.
    clip = CLIPModel.from_pretrained(model, attn_implementation="eager").eval()
    return clip, tokenizer, json.loads(tokenizer.backend_tokenizer.to_str())


def export(clip, head, tokenizer, document, folder, name, revision):
    folder.mkdir(parents=True, exist_ok=True)
    size, width, length = clip.config.vision_config.image_size, clip.config.projection_dim, tokenizer.model_max_length
    files = {
        "image": save(ImageAdapter(clip).eval(), [(torch.randn(b, 3, size, size),) for b in (1, 3)], folder / "image.pt"),
        "text": save(
            TextAdapter(clip, tokenizer.pad_token_id).eval(), [(ids(b, length, tokenizer), masks(b, length)) for b in (1, 3)],
            folder / "text.pt"),
        "aesthetic": directory.save_scripted(head, folder / "aesthetic.pt"),
    }
    (folder / "tokenizer.json").write_text(json.dumps(fixed_length(document, length, tokenizer)) + "\n")
    directory.write_scorer(
        folder, name, revision, files, max_tokens=length,
        image={"size": size, "mean": MEAN, "std": STD, "resize": "bicubic"}, embedding=width)


if __name__ == "__main__":
    main()
