#!/usr/bin/env python3
"""Makes the fixtures of the scorer's tests: two small random scorers and what torch and PIL say of them.

    python3 serving/src/test/python/make_scorer_fixtures.py

writes serving/src/test/resources/scorer. Needs torch, numpy and Pillow. The weights are random and
mean nothing; the expected values are computed here, apart from the Java code that they test:
resizing by Pillow, the towers by eager torch.
"""

import hashlib
import json
import pathlib
import re

import numpy as np
import torch
from PIL import Image

OUT = pathlib.Path(__file__).resolve().parents[1] / "resources" / "scorer"
WORDS = "a the and of red green blue yellow circle square triangle star big small left right sky sea".split()
SPECIAL = ["[PAD]", "[START]", "[END]", "[UNK]"]
VOCABULARY = {word: i for i, word in enumerate(SPECIAL + WORDS)}
MAX_TOKENS = 12
EMBEDDING = 8
PROMPTS = ["a red circle", "A small BLUE square left of the yellow star", "zebra", "a " * 40]


class SmallImage(torch.nn.Module):
    """A convolution and a projection, for 64 x 64."""

    def __init__(self):
        super().__init__()
        self.patch = torch.nn.Conv2d(3, 4, 8, stride=8)
        self.project = torch.nn.Linear(4 * 8 * 8, EMBEDDING)

    def forward(self, rgb: torch.Tensor) -> torch.Tensor:
        return self.project(torch.relu(self.patch(rgb)).flatten(1))


class VisionTransformer(torch.nn.Module):
    """The shape of CLIP's image tower: patches, class token, positions, a block, projection."""

    def __init__(self, size: int = 224, patch: int = 32, width: int = 6, heads: int = 2):
        super().__init__()
        self.patch = patch
        self.heads = heads
        self.register_buffer("kernel", torch.randint(-127, 128, (width, 3, patch, patch), dtype=torch.int8))
        self.cls = torch.nn.Parameter(torch.randn(1, 1, width))
        self.positions = torch.nn.Parameter(torch.randn(1, (size // patch) ** 2 + 1, width) * 0.3)
        self.before = torch.nn.LayerNorm(width)
        self.qkv = torch.nn.Linear(width, 3 * width)
        self.out = torch.nn.Linear(width, width)
        self.between = torch.nn.LayerNorm(width)
        self.up = torch.nn.Linear(width, 2 * width)
        self.down = torch.nn.Linear(2 * width, width)
        self.after = torch.nn.LayerNorm(width)
        self.project = torch.nn.Linear(width, EMBEDDING, bias=False)

    def forward(self, rgb: torch.Tensor) -> torch.Tensor:
        kernel = self.kernel.to(torch.float32) * 0.0005
        x = torch.nn.functional.conv2d(rgb, kernel, stride=self.patch).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.size(0), -1, -1), x], dim=1) + self.positions
        b, n, d = x.size(0), x.size(1), x.size(2)
        qkv = self.qkv(self.before(x)).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(qkv[0] @ qkv[1].transpose(-1, -2) * (d // self.heads) ** -0.5, dim=-1)
        x = x + self.out((weights @ qkv[2]).transpose(1, 2).reshape(b, n, d))
        y = self.up(self.between(x))
        x = x + self.down(y * torch.sigmoid(1.702 * y))
        return self.project(self.after(x[:, 0]))


class MeanText(torch.nn.Module):
    """Mean of the embeddings of the tokens that count."""

    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(len(VOCABULARY), 16)
        self.project = torch.nn.Linear(16, EMBEDDING)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        m = mask.unsqueeze(-1)
        return self.project((self.embed(ids) * m).sum(1) / m.sum(1))


def tokenizer():
    """WordLevel, lower case, one START and END around the words."""
    added = [
        {"id": i, "content": t, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
        for i, t in enumerate(SPECIAL)
    ]
    start, end = ({"SpecialToken": {"id": t, "type_id": 0}} for t in ("[START]", "[END]"))
    sequence = lambda name: {"Sequence": {"id": name, "type_id": 0}}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": {"strategy": {"Fixed": MAX_TOKENS}, "direction": "Right", "pad_to_multiple_of": None,
                    "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"},
        "added_tokens": added,
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [start, sequence("A"), end],
            "pair": [start, sequence("A"), end, sequence("B"), end],
            "special_tokens": {t: {"id": t, "ids": [VOCABULARY[t]], "tokens": [t]} for t in ("[START]", "[END]")},
        },
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": VOCABULARY, "unk_token": "[UNK]"},
    }


def encode(prompt):
    words = re.findall(r"\w+|[^\w\s]+", prompt.lower())[: MAX_TOKENS - 2]
    ids = [1] + [VOCABULARY.get(w, 3) for w in words] + [2]
    mask = [1.0] * len(ids) + [0.0] * (MAX_TOKENS - len(ids))
    return ids + [0] * (MAX_TOKENS - len(ids)), mask


def picture(width, height):
    """Smooth colours, waves and hard edges: what shows a wrong filter, phase or border."""
    y, x = np.mgrid[0:height, 0:width]
    rgb = np.stack([255 * x / (width - 1), 255 * y / (height - 1), 127 + 100 * np.sin(x / 3.0) * np.cos(y / 4.0)], -1)
    rgb[(x - width * 0.4) ** 2 + (y - height * 0.5) ** 2 < (min(width, height) * 0.25) ** 2] = [255, 0, 20]
    rgb[height // 5 : height // 3, width // 2 : -2] = [0, 0, 0]
    rgb[-1, :] = [255, 255, 255]
    return Image.fromarray(np.clip(np.rint(rgb), 0, 255).astype(np.uint8), "RGB")


def clip_resize(image, size):
    """torchvision's Resize(size, BICUBIC) and CenterCrop(size), as openai/CLIP uses them."""
    w, h = image.size
    if w <= h:
        new = (size, int(size * h / w))
    else:
        new = (int(size * w / h), size)
    if new != image.size:
        image = image.resize(new, Image.BICUBIC)
    left, top = int(round((new[0] - size) / 2.0)), int(round((new[1] - size) / 2.0))
    return image.crop((left, top, left + size, top + size))


def tensor(image, mean, std):
    x = torch.from_numpy(np.asarray(image).copy()).permute(2, 0, 1).to(torch.float32).div(255)
    return (x - torch.tensor(mean).view(3, 1, 1)) / torch.tensor(std).view(3, 1, 1)


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def scorer(name, size, mean, std, image, pictures):
    folder = OUT / name
    folder.mkdir(parents=True, exist_ok=True)
    modules = {"image": image, "text": MeanText(), "aesthetic": torch.nn.Linear(EMBEDDING, 1)}
    for key, module in modules.items():
        module.eval()
        torch.jit.save(torch.jit.script(module), str(folder / f"{key}.pt"))
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer(), separators=(",", ":")) + "\n")
    files = {key: f"{key}.pt" for key in modules}
    digests = {f: sha256(folder / f) for f in [*files.values(), "tokenizer.json"]}
    lines = "".join(f"{f} {digests[f]}\n" for f in sorted(files.values()))
    manifest = {
        "format": 1, "name": name, "revision": "1",
        "digest": "sha256:" + hashlib.sha256(lines.encode()).hexdigest(),
        "files": files, "sha256": digests, "tokenizer": "tokenizer.json", "max_tokens": MAX_TOKENS,
        "image": {"size": size, "mean": mean, "std": std, "resize": "bicubic"}, "embedding": EMBEDDING,
    }
    (folder / "scorer.json").write_text(json.dumps(manifest, indent=1) + "\n")
    return expected(modules, size, mean, std, pictures)


@torch.no_grad()
def expected(modules, size, mean, std, pictures):
    cases = []
    for file, image in pictures.items():
        pixels = tensor(clip_resize(image, size), mean, std)
        embedding = torch.nn.functional.normalize(modules["image"](pixels[None]), dim=-1)
        aesthetic = modules["aesthetic"](embedding).item()
        for prompt in PROMPTS:
            ids, mask = encode(prompt)
            text = modules["text"](torch.tensor([ids]), torch.tensor([mask]))
            cosine = torch.nn.functional.cosine_similarity(embedding, text).item()
            cases.append({"image": file, "prompt": prompt, "clip": cosine, "aesthetic": aesthetic,
                          "embedding": embedding[0].tolist()})
    return cases


def main():
    torch.manual_seed(20)
    torch.set_num_threads(1)
    OUT.mkdir(parents=True, exist_ok=True)
    sizes = {"64x64": (64, 64), "64x48": (64, 48), "101x67": (101, 67), "30x43": (30, 43), "150x64": (150, 64)}
    pictures = {f"{name}.png": picture(w, h) for name, (w, h) in sizes.items()}
    for file, image in pictures.items():
        image.save(OUT / file, optimize=True)
        clip_resize(image, 64).save(OUT / file.replace(".png", "-to-64.png"), optimize=True)
    normalised = tensor(clip_resize(pictures["101x67.png"], 64), [0.48145466, 0.4578275, 0.40821073],
                        [0.26862954, 0.26130258, 0.27577711])
    photo = pictures["101x67.png"]
    pictures["30x43.png"].save(OUT / "photo.jpg", quality=90)
    Image.open(OUT / "photo.jpg").convert("RGB").save(OUT / "photo-decoded.png", optimize=True)
    clip_resize(photo, 224).crop((80, 60, 144, 124)).save(OUT / "101x67-to-224-part.png", optimize=True)
    photo.convert("L").save(OUT / "gray.png", optimize=True)
    photo.convert("L").convert("RGB").save(OUT / "gray-rgb.png", optimize=True)
    palette = photo.quantize(16)
    palette.save(OUT / "palette.png", optimize=True)
    palette.convert("RGB").save(OUT / "palette-rgb.png", optimize=True)
    alpha = photo.copy()
    alpha.putalpha(Image.linear_gradient("L").resize(photo.size))
    alpha.save(OUT / "alpha.png", optimize=True)
    clip = ([0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711])
    cases = {
        "small": scorer("small", 64, [0.5, 0.5, 0.5], [0.25, 0.25, 0.25], SmallImage(), pictures),
        "vit": scorer("vit", 224, *clip, VisionTransformer(), {"101x67.png": photo}),
        "normalised": {"image": "101x67.png", "mean": clip[0], "std": clip[1],
                       "at": [[c, y, x, normalised[c, y, x].item()] for c in range(3) for y, x in ((0, 0), (17, 40), (63, 63))]},
    }
    (OUT / "expected.json").write_text(json.dumps(cases) + "\n")


if __name__ == "__main__":
    main()
