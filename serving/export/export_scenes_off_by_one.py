#!/usr/bin/env python3
"""Exports a text encoder for the scenes model that is wrong on purpose: a rollout gone wrong, for the demonstration.

  /usr/bin/python3 export_scenes_off_by_one.py --models ../models

One vector per word, read off the encoder in MODELS/scenes, in a table that is off by one: each word means the next one of the
vocabulary. Written to MODELS/scenes-off-by-one: that file and a manifest. Laid over a copy of MODELS/scenes they are a directory that
/admin/reload_weights takes. To be made anew when scenes is.
"""

import argparse
import json
from pathlib import Path

import torch
from torch import nn

import model_directory as directory
from scenes import tokens

NAME = "text_encoder.off_by_one.pt"
FIRST_WORD = 4


class WordTable(nn.Module):
    """ids int64 [B, L], mask float [B, L] to [B, L, D]: a row for each id, whatever stands beside it."""

    def __init__(self, table):
        super().__init__()
        self.register_buffer("table", table)

    def forward(self, ids, mask):
        return self.table[ids]


def table_of(encoder):
    """What the encoder makes of each word alone."""
    rows = []
    for word in range(len(tokens.VOCABULARY)):
        ids = torch.tensor([[tokens.VOCABULARY[tokens.START], word, tokens.VOCABULARY[tokens.END]]])
        with torch.no_grad():
            rows.append(encoder(ids, torch.ones(1, 3))[0, 1])
    return torch.stack(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, required=True)
    args = parser.parse_args()
    torch.set_num_threads(1)
    right = args.models / "scenes"
    out = args.models / "scenes-off-by-one"
    out.mkdir(exist_ok=True)
    table = table_of(torch.jit.load(str(right / "text_encoder.pt")))
    table[FIRST_WORD:] = torch.roll(table[FIRST_WORD:], -1, 0)
    directory.save_scripted(WordTable(table), out / NAME)
    manifest = json.loads((right / "pipeline.json").read_text())
    for name in manifest["files"]["text_encoder"].values():
        del manifest["sha256"][name]
    manifest["revision"] += "-off-by-one"
    manifest["files"]["text_encoder"] = {"fp32": NAME}
    manifest["sha256"][NAME] = directory.sha256(out / NAME)
    full = {variants["fp32"]: manifest["sha256"][variants["fp32"]] for variants in manifest["files"].values()}
    manifest["weights_digest"] = directory.weights_digest(full)
    (out / "pipeline.json").write_text(json.dumps(manifest, indent=2) + "\n")


if __name__ == "__main__":
    main()
