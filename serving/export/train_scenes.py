#!/usr/bin/env python3
"""Trains the scenes models: autoencoder, text encoder and denoiser, scorer. About half an hour on one core at most; fixed seeds.

  /usr/bin/python3 train_scenes.py --work FOLDER

Debian's python3-torch needs a fast BLAS next to it (libopenblas0-serial), or the linear layers take ten times as long. Each stage leaves
its weights in FOLDER; --stage runs one alone. The stage "finish" (13 more minutes, meant for sharper forms) goes on from the weights in
FOLDER and replaces them; it is not part of "all", nor of the committed weights. Prompts for which world.held_out is true are never trained on.
"""

import argparse
import copy
import functools
import math
import time
from pathlib import Path
from random import Random

import torch
from torch.nn import functional as F

from scenes import damage, modules, sampling, tokens, world

STEPS = {"autoencoder": 1600, "denoiser": 2600, "refine": 3600, "finish": 6000, "scorer": 1400}
# Width, height, scenes: mostly square.
TRAINING_SHAPES = ((64, 64, 48000), (96, 64, 10000), (64, 48, 6000))
BATCH = 32
# Share of the prompts replaced by the empty one, for classifier-free guidance.
UNCONDITIONAL = 0.12


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--stage", choices=["all", *STEPS], default="all")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the steps and scenes, to try the script")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    stages = {
        "autoencoder": train_autoencoder, "denoiser": train_denoiser, "refine": refine_denoiser, "finish": finish_denoiser,
        "scorer": train_scorer,
    }
    for name, stage in stages.items():
        if args.stage == name or args.stage == "all" and name != "finish":
            torch.manual_seed(1)
            stage(args.work, max(2, int(STEPS[name] * args.scale)), args.scale)


def training_prompt(rng):
    while True:
        prompt = world.draw_prompt(rng)
        if not world.held_out(prompt.text):
            return prompt


def rate(step, steps, peak, warm=100):
    """Learning rate: a short rise, then half a cosine down to a fiftieth."""
    if step < warm:
        return peak * (step + 1) / warm
    return peak * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm))))


def descend(optimiser, loss, step, steps, peak):
    for group in optimiser.param_groups:
        group["lr"] = rate(step, steps, peak)
    optimiser.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_([p for g in optimiser.param_groups for p in g["params"]], 1.0)
    optimiser.step()


def multiply_in_bfloat16(model):
    """Lets the linear layers multiply in bfloat16 (twice as fast on CPUs that have it); their weights and sums elsewhere stay float32."""
    for layer in model.modules():
        if isinstance(layer, torch.nn.Linear):
            layer.forward = functools.partial(_bfloat16_linear, layer)


def _bfloat16_linear(layer, x):
    b = torch.bfloat16
    return F.linear(x.to(b), layer.weight.to(b), layer.bias.to(b)).to(x.dtype)


class Progress:
    """Prints the mean loss now and then."""

    def __init__(self, stage, every=100):
        self.stage, self.every, self.started, self.total, self.count = stage, every, time.time(), 0.0, 0

    def add(self, step, loss, more=""):
        self.total, self.count = self.total + float(loss), self.count + 1
        if (step + 1) % self.every == 0:
            print(f"{self.stage} {step + 1} {self.total / self.count:.4f} {time.time() - self.started:.0f}s cpu {time.process_time():.0f}s {more}", flush=True)
            self.total, self.count = 0.0, 0


def train_autoencoder(work, steps, scale):
    rng = Random(11)
    model = modules.Autoencoder()
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0)
    progress = Progress("autoencoder")
    for step in range(steps):
        prompts = [training_prompt(rng) for _ in range(32)]
        images, _ = world.draw(prompts, 64, 64, rng)
        rebuilt, _ = model(images, 0.1)
        error = (rebuilt - images).abs()
        # The objects count as much as the background, of which there is ten times as much.
        weight = 1 + 9 * off_background(images, prompts)
        loss = ((error + 2 * error * error) * weight).mean()
        descend(optimiser, loss, step, steps, 2e-3)
        progress.add(step, loss)
    model.eval()
    normalise(model, rng)
    torch.save(model.state_dict(), work / "autoencoder.weights")
    torch.save(model.decoder.state_dict(), work / "decoder.weights")


def off_background(images, prompts):
    """1 where an object is, else 0: [N, 1, H, W]."""
    plain = torch.tensor([world.BACKGROUNDS[p.background] for p in prompts]).view(-1, 3, 1, 1) / 127.5 - 1
    return ((images - plain).abs().amax(dim=1, keepdim=True) > 0.02).float()


@torch.no_grad()
def normalise(model, rng):
    """Makes the latent's channels zero mean and unit variance: the decoder undoes it, `encode_latent` does it."""
    images, _ = world.draw([training_prompt(rng) for _ in range(2000)], 64, 64, rng)
    latent = model(images, 0.0)[1]
    model.decoder.mean.copy_(latent.mean(dim=(0, 2, 3), keepdim=True))
    model.decoder.std.copy_(latent.std(dim=(0, 2, 3), keepdim=True))


@torch.no_grad()
def encode_latent(model, images):
    return (model.encode(images) - model.decoder.mean) / model.decoder.std


def load_autoencoder(work):
    model = modules.Autoencoder()
    model.load_state_dict(torch.load(work / "autoencoder.weights"))
    return model.eval()


def latent_buckets(model, scale, seed):
    """Drawn scenes as (latents, texts), one bucket per image shape and length of prompt, so that a batch holds alike ones."""
    rng = Random(seed)
    buckets = []
    for width, height, count in TRAINING_SHAPES:
        short, long = ([], []), ([], [])
        for _ in range(max(2, int(count * scale) // 250)):
            prompts = [training_prompt(rng) for _ in range(250)]
            images, _ = world.draw(prompts, width, height, rng)
            for latent, prompt in zip(encode_latent(model, images), prompts):
                bucket = short if len(tokens.encode(prompt.text)) <= 18 else long
                bucket[0].append(latent)
                bucket[1].append(prompt.text)
        buckets += [(torch.stack(latents), texts) for latents, texts in (short, long)]
    return buckets


def train_denoiser(work, steps, scale):
    fit_denoiser(work, steps, scale, denoiser_models(), 21, 1.5e-3)


def refine_denoiser(work, steps, scale):
    """Goes on from the averaged weights with a second, lower rise and fall of the learning rate, on other scenes."""
    fit_denoiser(work, steps, scale, load_denoiser(work), 23, 1e-3)


def finish_denoiser(work, steps, scale):
    """A third, with all noise levels alike: what remains to be learned is the form of the objects."""
    fit_denoiser(work, steps, scale, load_denoiser(work), 25, 1e-3, level_power=1.0)


def load_denoiser(work):
    models = denoiser_models()
    for module, name in zip(models, ("text_encoder", "denoiser")):
        module.load_state_dict(torch.load(work / f"{name}.weights"))
    return models


def denoiser_models():
    return torch.nn.ModuleList([modules.TextEncoder(len(tokens.VOCABULARY), tokens.MAX_TOKENS), modules.Denoiser()])


def fit_denoiser(work, steps, scale, models, seed, peak, level_power=0.5):
    """Trains the text encoder and the denoiser together; leaves moving averages of their weights.

    level_power below 1 shows more of the noisy levels, at which it is decided what goes where.
    """
    buckets = latent_buckets(load_autoencoder(work), scale, seed)
    rng = Random(seed + 1)
    text, denoiser = models
    average = copy.deepcopy(models)
    multiply_in_bfloat16(models)
    optimiser = torch.optim.AdamW(models.parameters(), lr=1e-3, weight_decay=0.01, betas=(0.9, 0.98))
    signal = sampling.signal_levels()
    progress = Progress("denoiser")
    for step in range(steps):
        latents, texts = rng.choices(buckets, weights=[len(t) for _, t in buckets])[0]
        rows = [rng.randrange(len(texts)) for _ in range(BATCH)]
        clean = latents[rows]
        ids, mask = tokens.batch(["" if rng.random() < UNCONDITIONAL else texts[r] for r in rows])
        t = (1000 * torch.rand(BATCH) ** level_power).long().clamp(max=999)
        a = signal[t].view(-1, 1, 1, 1)
        noise = torch.randn_like(clean)
        velocity = a.sqrt() * noise - (1 - a).sqrt() * clean
        guess = denoiser(a.sqrt() * clean + (1 - a).sqrt() * noise, t.float(), text(ids, mask), mask)
        loss = F.mse_loss(guess, velocity)
        descend(optimiser, loss, step, steps, peak)
        follow(average, models, min(0.999, (1 + step) / (10 + step)))
        progress.add(step, loss)
        if (step + 1) % 250 == 0 or step + 1 == steps:
            torch.save(average[0].state_dict(), work / "text_encoder.weights")
            torch.save(average[1].state_dict(), work / "denoiser.weights")


@torch.no_grad()
def follow(average, models, keep):
    torch._foreach_mul_(list(average.parameters()), keep)
    torch._foreach_add_(list(average.parameters()), list(models.parameters()), alpha=1 - keep)


def train_scorer(work, steps, scale):
    rng = Random(31)
    source, count = ScorerImages(work, rng), BATCH
    image, text = modules.ImageEncoder(), modules.PromptEncoder(len(tokens.VOCABULARY), tokens.MAX_TOKENS)
    head = modules.AestheticHead()
    # Scale and bias of the cosine as the logit of "this prompt is true of this image".
    logit = torch.nn.ParameterList([torch.nn.Parameter(torch.tensor(2.0)), torch.nn.Parameter(torch.tensor(-4.0))])
    models = torch.nn.ModuleList([image, text, head, logit])
    average = copy.deepcopy(models)
    multiply_in_bfloat16(torch.nn.ModuleList([image, text]))
    optimiser = torch.optim.AdamW(models.parameters(), lr=1e-3, weight_decay=0.02, betas=(0.9, 0.98))
    progress = Progress("scorer")
    for step in range(steps):
        prompts, images, aesthetic = source.batch(count)
        wrong = [world.contradict(p, rng) for p in prompts for _ in range(2)]
        embedded = F.normalize(image(images), dim=1)
        said = F.normalize(text(*tokens.batch([p.text for p in prompts + wrong])), dim=1)
        right, hard = said[:count], said[count:].view(count, 2, -1)
        factor, bias = logit[0].exp(), logit[1]
        every = embedded @ right.t() * factor + bias
        near = (embedded.unsqueeze(1) * hard).sum(dim=2) * factor + bias
        pairs = contrastive(every, near)
        error = F.mse_loss(head(embedded).squeeze(1), aesthetic)
        descend(optimiser, pairs + 0.2 * error, step, steps, 1.5e-3)
        follow(average, models, min(0.998, (1 + step) / (10 + step)))
        progress.add(step, pairs, f"aesthetic {float(error):.2f} near {float((near < every.diagonal().unsqueeze(1)).float().mean()):.3f}")
        if (step + 1) % 200 == 0 or step + 1 == steps:
            for module, name in zip(average, ("image", "text", "aesthetic")):
                torch.save(module.state_dict(), work / f"scorer_{name}.weights")


def contrastive(every, near):
    """Softmax over the batch both ways (with the near misses as further texts), and the sigmoid loss, which makes cosines comparable."""
    rows = torch.arange(len(every))
    softmax = F.cross_entropy(torch.cat([every, near], dim=1), rows) + F.cross_entropy(every.t(), rows)
    far = every[~torch.eye(len(every), dtype=torch.bool)]
    sigmoid = F.softplus(-every.diagonal()).mean() + F.softplus(near).mean() + F.softplus(far).mean()
    return softmax + sigmoid


class ScorerImages:
    """Drawn scenes as a generator would show them, with the declared aesthetic of the result (1 to 10). The denoiser has no part in it."""

    def __init__(self, work, rng):
        self.rng = rng
        self.autoencoder = load_autoencoder(work)

    @torch.no_grad()
    def batch(self, count):
        prompts = [training_prompt(self.rng) for _ in range(count)]
        width, height = self.rng.choice([(64, 64)] * 6 + [(96, 64), (64, 48)])
        images, pleasing = world.draw(prompts, width, height, self.rng)
        strength = torch.rand(count)
        # Of eight: one as drawn, two rebuilt by the autoencoder, three with noise in the latent, one blurred, one with noise in the pixels.
        q = count // 8
        strength[: 3 * q] = 0
        images[q : 6 * q] = self.rebuilt(images[q : 6 * q], strength[q : 6 * q])
        images[6 * q : 7 * q] = damage.blur(images[6 * q : 7 * q], strength[6 * q : 7 * q])
        images[7 * q :] = damage.noise(images[7 * q :], strength[7 * q :])
        images = F.interpolate(images, size=(64, 64), mode="bicubic", align_corners=False).clamp(-1, 1)
        return prompts, images, 1 + 9 * (1 - strength) * (0.4 + 0.6 * pleasing)

    def rebuilt(self, images, strength):
        """Through the autoencoder, with noise in the latent up to its own size."""
        latent = encode_latent(self.autoencoder, images)
        return self.autoencoder.decoder(latent + strength.view(-1, 1, 1, 1) * torch.randn_like(latent)).clamp(-1, 1)


if __name__ == "__main__":
    main()
