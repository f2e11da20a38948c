"""The vocabulary, as a tokenizer.json that Hugging Face tokenizers read, and the same encoding in Python for training."""

import re

import torch

from . import world

PAD, UNK, START, END = "<pad>", "<unk>", "<start>", "<end>"
MAX_TOKENS = 48


def _words():
    words = set()
    phrases = [*world.COLOURS, *world.BACKGROUNDS, *world.SIZES, *world.NUMBERS.values(), *world.CELLS, *world.RELATIONS, *world.PREFIXES]
    phrases += [s + e for s in world.SHAPES for e in ("", "s")] + ["a an and on background , ."]
    for phrase in phrases:
        words.update(phrase.split())
    return sorted(words)


VOCABULARY = {word: k for k, word in enumerate([PAD, UNK, START, END, *_words()])}
_PIECES = re.compile(r"\w+|[^\w\s]+")


def encode(text):
    """Token ids with start and end; words outside the vocabulary become <unk>, what is too long is cut."""
    ids = [VOCABULARY.get(w, VOCABULARY[UNK]) for w in _PIECES.findall(text.lower())]
    return [VOCABULARY[START], *ids[: MAX_TOKENS - 2], VOCABULARY[END]]


def batch(texts):
    """Ids int64 [B, L] and mask float [B, L], padded to the longest."""
    rows = [encode(t) for t in texts]
    length = max(map(len, rows))
    ids = torch.zeros(len(rows), length, dtype=torch.int64)
    mask = torch.zeros(len(rows), length)
    for k, row in enumerate(rows):
        ids[k, : len(row)] = torch.tensor(row)
        mask[k, : len(row)] = 1
    return ids, mask


def tokenizer_json():
    """The document for tokenizer.json: lower case, words and punctuation apart, one id each. Padding is left to the caller."""
    special = [PAD, UNK, START, END]
    added = [
        {"id": VOCABULARY[t], "content": t, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
        for t in special
    ]
    return {
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": MAX_TOKENS, "strategy": "LongestFirst", "stride": 0},
        "padding": None,
        "added_tokens": added,
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [_special(START), {"Sequence": {"id": "A", "type_id": 0}}, _special(END)],
            "pair": [_special(START), {"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}, _special(END)],
            "special_tokens": {t: {"id": t, "ids": [VOCABULARY[t]], "tokens": [t]} for t in (START, END)},
        },
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": VOCABULARY, "unk_token": UNK},
    }


def _special(token):
    return {"SpecialToken": {"id": token, "type_id": 0}}
