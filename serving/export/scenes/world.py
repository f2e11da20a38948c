"""Scenes of coloured shapes: what there is, how it is said, how it is drawn, how pleasing it is.

A scene has one to four objects on a plain background. Each object stands in one of nine cells (three columns, three rows), with a little
jitter. A prompt says some of it in plain words; what it does not say is drawn at random. Everything follows from the random generator
that is passed in.
"""

import hashlib
import math
from dataclasses import dataclass, replace
from random import Random

import torch

COLOURS = {
    "red": (220, 40, 40),
    "green": (40, 170, 70),
    "blue": (50, 90, 230),
    "yellow": (240, 210, 40),
    "purple": (150, 60, 190),
    "orange": (245, 140, 30),
}
BACKGROUNDS = {"white": (245, 245, 245), "gray": (128, 128, 128), "black": (15, 15, 15)}
SHAPES = ("circle", "square", "triangle", "star")
# Radius as a share of the shorter side.
SIZES = {"small": 0.085, "": 0.125, "large": 0.17}
NUMBERS = {2: "two", 3: "three", 4: "four"}
CELLS = (
    "at the top left", "at the top", "at the top right",
    "on the left", "in the middle", "on the right",
    "at the bottom left", "at the bottom", "at the bottom right",
)
RELATIONS = ("to the left of", "to the right of", "above", "below")
PREFIXES = ("", "a picture of ", "a drawing of ")
# Words that the grammar does not use, but people do; they are seen in training as part of a prefix.
KINDS = ("one", "counted", "pair", "scene")
MAX_OBJECTS = 4
_CELL_CENTRES = (0.2, 0.5, 0.8)
_JITTER = 0.035


@dataclass(frozen=True)
class Item:
    """An object as a prompt says it; cell is its place (0 to 8), said only if `said`."""

    colour: str
    shape: str
    size: str
    cell: int
    said: bool

    def words(self, article=True, plural=False):
        noun = self.shape + ("s" if plural else "")
        phrase = " ".join(w for w in (self.size, self.colour, noun) if w)
        if article:
            phrase = ("an " if phrase[0] == "o" else "a ") + phrase
        return phrase + (" " + CELLS[self.cell] if self.said else "")


@dataclass(frozen=True)
class Prompt:
    """What is said about a scene, and the scene itself (the cells of all objects, and the background)."""

    kind: str
    items: tuple
    relation: str = ""
    background: str = "gray"
    background_said: bool = False
    prefix: str = ""

    @property
    def text(self):
        items = self.items
        if self.kind == "counted":
            body = NUMBERS[len(items)] + " " + items[0].words(article=False, plural=True)
        elif self.relation:
            body = f"{items[0].words()} {self.relation} {items[1].words()}"
        else:
            said = [i.words() for i in items]
            body = said[0] if len(said) == 1 else ", ".join(said[:-1]) + " and " + said[-1]
        tail = f" on a {self.background} background" if self.background_said else ""
        return self.prefix + body + tail


def held_out(text):
    """Whether a prompt is kept from training: one in sixteen, by its hash."""
    return hashlib.sha256(text.encode()).digest()[0] < 16


def draw_prompt(rng: Random, kind=None):
    """A random prompt; of the given kind, or of any."""
    kind = kind or rng.choices(KINDS, weights=(0.3, 0.15, 0.25, 0.3))[0]
    count = {"one": 1, "counted": rng.randint(2, 4), "pair": 2, "scene": rng.randint(3, 4)}[kind]
    cells = rng.sample(range(9), count)
    said = kind in ("one", "pair") and rng.random() < 0.5 or kind == "scene" and rng.random() < 0.8
    relation = ""
    if kind == "pair" and not said and rng.random() < 0.6:
        relation = rng.choice(RELATIONS)
        cells = _cells_for(relation, rng)
    if kind == "counted":
        item = _draw_item(rng, 0, False)
        items = tuple(replace(item, cell=c) for c in cells)
    else:
        items = tuple(_draw_item(rng, c, said) for c in cells)
        if len({(i.colour, i.shape) for i in items}) < count:
            return draw_prompt(rng, kind)
    return Prompt(
        kind, items, relation, rng.choice(list(BACKGROUNDS)), rng.random() < 0.4,
        rng.choices(PREFIXES, weights=(0.85, 0.1, 0.05))[0])


def _draw_item(rng, cell, said):
    size = rng.choices(list(SIZES), weights=(0.25, 0.5, 0.25))[0]
    return Item(rng.choice(list(COLOURS)), rng.choice(SHAPES), size, cell, said)


def _cells_for(relation, rng):
    low, high = sorted(rng.sample(range(3), 2))
    across = rng.randrange(3)
    if relation in ("to the left of", "to the right of"):
        first, second = 3 * across + low, 3 * across + high
        return [first, second] if relation == "to the left of" else [second, first]
    first, second = 3 * low + across, 3 * high + across
    return [first, second] if relation == "above" else [second, first]


def contradict(prompt: Prompt, rng: Random):
    """A prompt that differs in one thing said, so that it is false of the scene: colour, shape, count, place, relation or background."""
    items = list(prompt.items)
    ways = ["colour", "colour", "shape", "shape"]
    if prompt.kind == "counted":
        ways += ["count", "count"]
    if len({i.colour for i in items}) > 1:
        ways += ["swap"]
    if prompt.relation:
        ways += ["relation"]
    if items[0].said:
        ways += ["place"]
    if prompt.background_said:
        ways += ["background"]
    way = rng.choice(ways)
    k = rng.randrange(len(items))
    if way == "colour":
        colour = _other(list(COLOURS), items[k].colour, rng)
        return replace(prompt, items=_change(prompt, k, colour=colour))
    if way == "shape":
        return replace(prompt, items=_change(prompt, k, shape=_other(SHAPES, items[k].shape, rng)))
    if way == "count":
        count = _other((2, 3, 4), len(items), rng)
        return replace(prompt, items=tuple((items * 2)[:count]))
    if way == "swap":
        a, b = rng.choice([(a, b) for a in range(len(items)) for b in range(a) if items[a].colour != items[b].colour])
        items[a], items[b] = replace(items[a], colour=items[b].colour), replace(items[b], colour=items[a].colour)
        # Two objects of one shape that swap colours are the same scene unless their places are said.
        return replace(prompt, items=tuple(items)) if items[a].shape != items[b].shape else contradict(prompt, rng)
    if way == "relation":
        return replace(prompt, relation=_other(RELATIONS, prompt.relation, rng))
    if way == "place":
        return replace(prompt, items=_change(prompt, k, cell=_other(range(9), items[k].cell, rng)))
    return replace(prompt, background=_other(list(BACKGROUNDS), prompt.background, rng))


def _change(prompt, k, **what):
    if prompt.kind == "counted":
        return tuple(replace(i, **what) for i in prompt.items)
    return tuple(replace(i, **what) if j == k else i for j, i in enumerate(prompt.items))


def _other(choices, current, rng):
    return rng.choice([c for c in choices if c != current])


def draw(prompts, width, height, rng: Random):
    """Draws the scenes: float [N, 3, height, width] in -1..1, edges smoothed over one pixel; and their aesthetic in 0..1."""
    n = len(prompts)
    short = min(width, height)
    ys, xs = torch.meshgrid(torch.arange(height) + 0.5, torch.arange(width) + 0.5, indexing="ij")
    image = torch.tensor([BACKGROUNDS[p.background] for p in prompts], dtype=torch.float32).view(n, 3, 1, 1)
    image = image.expand(n, 3, height, width).clone()
    by_shape = {}
    pleasing = []
    for row, p in enumerate(prompts):
        places = []
        for slot, item in enumerate(p.items):
            x = (_CELL_CENTRES[item.cell % 3] + rng.uniform(-_JITTER, _JITTER)) * width
            y = (_CELL_CENTRES[item.cell // 3] + rng.uniform(-_JITTER, _JITTER)) * height
            r = SIZES[item.size] * short * rng.uniform(0.94, 1.06)
            by_shape.setdefault((slot, item.shape), []).append((row, x, y, r, COLOURS[item.colour]))
            places.append((x / width, y / height, r))
        pleasing.append(_aesthetic(p, places))
    for (_, shape), objects in sorted(by_shape.items(), key=lambda e: e[0]):
        rows = torch.tensor([o[0] for o in objects])
        x, y, r = (torch.tensor([o[k] for o in objects]).view(-1, 1, 1) for k in (1, 2, 3))
        inside = (0.5 - _distance(shape, xs - x, ys - y, r)).clamp(0, 1).unsqueeze(1)
        colour = torch.tensor([o[4] for o in objects], dtype=torch.float32).view(-1, 3, 1, 1)
        image[rows] = image[rows] * (1 - inside) + colour * inside
    return image / 127.5 - 1, torch.tensor(pleasing)


def _distance(shape, x, y, r):
    """Signed distance in pixels to the outline (negative inside), good near the outline."""
    if shape == "circle":
        return torch.sqrt(x * x + y * y) - r
    if shape == "square":
        return torch.maximum(x.abs(), y.abs()) - 0.88 * r
    if shape == "triangle":
        y = y - 0.2 * r
        slope = (x.abs() * 2 - y - 1.25 * r) / math.sqrt(5)
        return torch.maximum(slope, y - 0.75 * r)
    # A star of five points: in the wedge between a point and a notch the outline is a straight line.
    radius = torch.sqrt(x * x + y * y)
    angle = torch.remainder(torch.atan2(x, -y), 2 * math.pi / 5)
    angle = torch.minimum(angle, 2 * math.pi / 5 - angle)
    px, py = radius * torch.cos(angle), radius * torch.sin(angle)
    outer, inner = 1.2 * r, 0.52 * r
    nx, ny = inner * math.cos(math.pi / 5), inner * math.sin(math.pi / 5)
    ex, ey = nx - outer, ny
    return ((px - outer) * ey - py * ex) / torch.sqrt(ex * ex + ey * ey)


def _aesthetic(prompt, places):
    """Balance (the objects' centre of mass is near the middle) and contrast (colours differ from the background), half each, 0 to 1."""
    mass = sum(r * r for _, _, r in places)
    dx = sum(x * r * r for x, _, r in places) / mass - 0.5
    dy = sum(y * r * r for _, y, r in places) / mass - 0.5
    balance = max(0.0, 1 - math.hypot(dx, dy) / 0.42)
    back = BACKGROUNDS[prompt.background]
    contrast = sum(math.dist(COLOURS[i.colour], back) for i in prompt.items) / len(prompt.items) / 330
    return 0.5 * balance + 0.5 * min(1.0, contrast)
