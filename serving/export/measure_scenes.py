#!/usr/bin/env python3
"""Measures what the scores of the scenes models tell, on generated images with held-out prompts and seeds of their own.

  /usr/bin/python3 measure_scenes.py --models ../models [--images 128]

Prints the tables of the model card: number of images, mean paired difference with its 95 % interval, in standard deviations of the right
scores, and the share of pairs in which the right one is higher with its 95 % interval (Wilson 1927).
"""

import argparse
import math
from pathlib import Path
from random import Random

import torch

from scenes import damage, world
from scenes.trained import Pipeline, Scorer
from sheet_scenes import held_out_prompt

FIRST_SEED = 5000
GROUP = 16


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--images", type=int, default=128)
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    rng = Random(77)
    prompts = [held_out_prompt(rng) for _ in range(args.images)]
    Measurement(args.models, prompts, rng).run()


class Measurement:
    """Generates and scores; the right image of each prompt is the reference of every comparison."""

    def __init__(self, models, prompts, rng):
        self.models, self.prompts = models, prompts
        self.texts = [p.text for p in prompts]
        self.others = [rng.choice([q for q in self.texts if q != t]) for t in self.texts]
        self.misses = [world.contradict(p, rng).text for p in prompts]
        self.scorer = Scorer(models / "clip-scenes")
        self.pipeline = Pipeline(models / "scenes")

    def run(self):
        images = self.generate(self.pipeline, self.texts)
        embedded, said = self.scorer.images(images), self.scorer.texts(self.texts)
        clip = (embedded * said).sum(dim=1)
        aesthetic = self.scorer.aesthetics(embedded)
        print(f"Right prompts: n {len(clip)}, clip mean {clip.mean():.3f} sd {clip.std():.3f}; "
              f"aesthetic mean {aesthetic.mean():.2f} sd {aesthetic.std():.2f}\n")
        for kind in world.KINDS:
            of_kind = clip[[p.kind == kind for p in self.prompts]]
            print(f"  {kind}: n {len(of_kind)}, clip {of_kind.mean():.3f}")
        print("\n| clip score: right minus | n | mean [95 %] | in sd | right is higher [95 %] |\n|---|---|---|---|---|")
        row("same image, another prompt", clip, (embedded * self.scorer.texts(self.others)).sum(dim=1))
        row("same image, one word wrong", clip, (embedded * self.scorer.texts(self.misses)).sum(dim=1))
        row("drawn, not generated, same prompt", clip, self.drawn(said))
        self.compare("another prompt's conditioning", clip, said, self.generate(self.pipeline, self.others), images)
        for bits in (8, 6, 4):
            change = lambda cond, mask, bits=bits: rounded(cond, bits)
            self.compare(f"conditioning rounded to {bits} bits", clip, said, self.generate(self.pipeline, self.texts, change), images)
        for precision in ("bf16", "int8"):
            lower = Pipeline(self.models / "scenes", precision)
            self.compare(f"{precision} weights", clip, said, self.generate(lower, self.texts), images)
        print("\n| aesthetic: right minus | n | mean [95 %] | in sd | right is higher [95 %] |\n|---|---|---|---|---|")
        half = torch.full((len(images),), 0.5)
        for name, damaged in (("blurred (1.25 pixels)", damage.blur(images, half)), ("noise (an eighth of the range)", damage.noise(images, half))):
            row(name, aesthetic, self.scorer.aesthetics(self.scorer.images(damaged)))

    def generate(self, pipeline, texts, change=lambda cond, mask: cond):
        parts = []
        for k in range(0, len(texts), GROUP):
            group = texts[k : k + GROUP]
            parts.append(pipeline.generate(group, range(FIRST_SEED + k, FIRST_SEED + k + len(group)), change=change))
        return torch.cat(parts)

    def drawn(self, said):
        images, _ = world.draw(self.prompts, 64, 64, Random(5))
        return (self.scorer.images(images) * said).sum(dim=1)

    def compare(self, name, clip, said, images, reference):
        pixels = (images - reference).abs().mean() / 2 * 255
        row(f"{name} (pixels differ by {pixels:.2f} of 255)", clip, (self.scorer.images(images) * said).sum(dim=1))


def rounded(cond, bits):
    """Symmetric rounding of the whole tensor to so many bits, one scale for all, as a cache at reduced precision does."""
    scale = cond.abs().max() / (2 ** (bits - 1) - 1)
    return (cond / scale).round() * scale


def row(name, right, other):
    gap = right - other
    n, mean = len(gap), gap.mean().item()
    half = 1.96 * gap.std().item() / math.sqrt(n)
    low, high = wilson((gap > 0).sum().item(), n)
    share = (gap > 0).float().mean().item()
    print(f"| {name} | {n} | {mean:.4f} [{mean - half:.4f}, {mean + half:.4f}] | {mean / right.std().item():.2f} "
          f"| {share:.3f} [{low:.3f}, {high:.3f}] |", flush=True)


def wilson(hits, n, z=1.96):
    p = hits / n
    centre, spread = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (centre - spread) / (1 + z * z / n), (centre + spread) / (1 + z * z / n)


if __name__ == "__main__":
    main()
