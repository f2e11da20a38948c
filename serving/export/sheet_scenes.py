#!/usr/bin/env python3
"""Draws a contact sheet of generated images with held-out prompts: a row per kind of prompt, right prompts only.

  /usr/bin/python3 sheet_scenes.py --models ../models --out ../models/contact-sheet.png
"""

import argparse
from pathlib import Path
from random import Random

import torch
from PIL import Image, ImageDraw

from scenes import sampling, world
from scenes.trained import Pipeline

ROWS = ("one", "counted", "pair", "scene")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--columns", type=int, default=6)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--guidance", type=float, default=2.5)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    torch.set_num_threads(1)
    pipeline = Pipeline(args.models / "scenes")
    rng = Random(args.seed)
    prompts = [held_out_prompt(rng, kind).text for kind in ROWS for _ in range(args.columns)]
    images = torch.cat([
        pipeline.generate(prompts[k : k + 8], range(100 + k, 100 + k + len(prompts[k : k + 8])), steps=args.steps, guidance=args.guidance)
        for k in range(0, len(prompts), 8)])
    page = sheet(images, prompts, args.columns)
    page.convert("P", palette=Image.ADAPTIVE, colors=96).save(args.out, optimize=True)


def held_out_prompt(rng, kind=None):
    while True:
        prompt = world.draw_prompt(rng, kind)
        if world.held_out(prompt.text):
            return prompt


def sheet(images, prompts, columns, scale=2, text_height=46):
    n, _, height, width = images.shape
    cell_w, cell_h = width * scale + 8, height * scale + text_height
    page = Image.new("RGB", (columns * cell_w, -(-n // columns) * cell_h), "white")
    draw = ImageDraw.Draw(page)
    for k in range(n):
        pixels = ((images[k].permute(1, 2, 0) + 1) * 127.5).round().clamp(0, 255).byte().numpy()
        x, y = k % columns * cell_w, k // columns * cell_h
        page.paste(Image.fromarray(pixels).resize((width * scale, height * scale), Image.NEAREST), (x + 4, y))
        draw.multiline_text((x + 4, y + height * scale + 1), wrap(prompts[k], cell_w // 6 - 1), fill="black", spacing=0)
    return page


def wrap(text, width):
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > width:
            lines.append("")
        lines[-1] = (lines[-1] + " " + word).strip()
    return "\n".join(lines)


if __name__ == "__main__":
    main()
