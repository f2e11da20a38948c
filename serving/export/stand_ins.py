"""Small random modules that are called, configured and answer as those of transformers and diffusers do: to try the exporters without
these libraries. Written from their public interfaces; the layers are of the same kinds, the sizes are not."""

import math
from types import SimpleNamespace

import torch
from torch import nn
from torch.nn import functional as F

START, END = 62, 63
CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123"


class ClipTokenizer:
    """What the exporters use of CLIPTokenizer: the lengths and ids of special tokens."""

    model_max_length, bos_token_id, eos_token_id = 77, START, END

    def __init__(self, pad_id, pad_token):
        self.pad_token_id, self.pad_token = pad_id, pad_token


def tokenizer_document():
    """A byte-pair tokenizer of CLIP's kind with no merges: every character is a token, the last one of a word ends in </w>."""
    vocabulary = {"!": 0, "!</w>": 1}
    vocabulary.update({c: 2 + k for k, c in enumerate(CHARACTERS)})
    vocabulary.update({c + "</w>": 32 + k for k, c in enumerate(CHARACTERS)})
    vocabulary.update({"<|startoftext|>": START, "<|endoftext|>": END})
    special = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": True, "special": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": START, "content": "<|startoftext|>", **special}, {"id": END, "content": "<|endoftext|>", **special}],
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Lowercase"}]},
        "pre_tokenizer": {
            "type": "Split", "pattern": {"Regex": "[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+"}, "behavior": "Removed", "invert": True,
        },
        "post_processor": {
            "type": "RobertaProcessing", "sep": ["<|endoftext|>", END], "cls": ["<|startoftext|>", START], "trim_offsets": False,
            "add_prefix_space": False,
        },
        "decoder": None,
        "model": {
            "type": "BPE", "dropout": None, "unk_token": "<|endoftext|>", "continuing_subword_prefix": "", "end_of_word_suffix": "</w>",
            "fuse_unk": False, "vocab": vocabulary, "merges": [],
        },
    }


class ClipTextModel(nn.Module):
    """Causal transformer; answers with last_hidden_state, hidden_states and, with a projection, text_embeds (of the first end token)."""

    def __init__(self, width, layers, projection=None):
        super().__init__()
        self.config = SimpleNamespace(hidden_size=width, projection_dim=projection)
        self.token_embedding, self.position_embedding = nn.Embedding(64, width), nn.Embedding(77, width)
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(width, 4, 2 * width, 0.0, F.gelu, batch_first=True, norm_first=True) for _ in range(layers))
        self.final_layer_norm = nn.LayerNorm(width)
        self.text_projection = nn.Linear(width, projection, bias=False) if projection else None

    def forward(self, input_ids, attention_mask=None, output_hidden_states=False):
        length = input_ids.shape[1]
        x = self.token_embedding(input_ids) + self.position_embedding(torch.arange(77)[:length])
        causal = torch.full((length, length), -10000.0).triu(1).to(x.dtype)
        states = [x]
        for layer in self.layers:
            # The layer's own fast path does not trace, its parts do.
            y = layer.norm1(x)
            x = x + layer.self_attn(y, y, y, attn_mask=causal, need_weights=False)[0]
            x = x + layer.linear2(F.gelu(layer.linear1(layer.norm2(x))))
            states.append(x)
        last = self.final_layer_norm(x)
        pooled = last[torch.arange(last.shape[0]), (input_ids == END).to(torch.int).argmax(dim=-1)]
        embeds = self.text_projection(pooled) if self.text_projection is not None else None
        return SimpleNamespace(last_hidden_state=last, hidden_states=tuple(states), pooler_output=pooled, text_embeds=embeds)


class CrossAttentionBlock(nn.Module):
    """Residual block with the time's embedding, then attention to the text, as in the U-Net's blocks."""

    def __init__(self, channels, cross):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(8, channels), nn.Conv2d(channels, channels, 3, padding=1)
        self.time = nn.Linear(128, channels)
        self.norm2, self.conv2 = nn.GroupNorm(8, channels), nn.Conv2d(channels, channels, 3, padding=1)
        self.norm3 = nn.LayerNorm(channels)
        self.to_q, self.to_k, self.to_v = nn.Linear(channels, channels), nn.Linear(cross, channels), nn.Linear(cross, channels)
        self.to_out = nn.Linear(channels, channels)

    def forward(self, x, time, text):
        h = self.conv1(F.silu(self.norm1(x))) + self.time(F.silu(time))[:, :, None, None]
        x = x + self.conv2(F.silu(self.norm2(h)))
        batch, channels, height, width = x.shape
        flat = x.permute(0, 2, 3, 1).reshape(batch, height * width, channels)
        q, k, v = self.to_q(self.norm3(flat)), self.to_k(text), self.to_v(text)
        weights = torch.softmax(q @ k.transpose(1, 2) / math.sqrt(channels), dim=-1)
        flat = flat + self.to_out(weights @ v)
        return flat.reshape(batch, height, width, channels).permute(0, 3, 1, 2)


class UNet2DConditionModel(nn.Module):
    """Down, middle and up with a skip; takes added_cond_kwargs (text_embeds, time_ids) if it was made with their size."""

    def __init__(self, cross, pooled=None):
        super().__init__()
        self.config = SimpleNamespace(in_channels=4, sample_size=16, cross_attention_dim=cross)
        self.conv_in, self.conv_out = nn.Conv2d(4, 32, 3, padding=1), nn.Conv2d(32, 4, 3, padding=1)
        self.time_embedding = nn.Sequential(nn.Linear(64, 128), nn.SiLU(), nn.Linear(128, 128))
        self.add_embedding = nn.Linear(pooled + 6 * 64, 128) if pooled else None
        self.down, self.middle, self.up = (CrossAttentionBlock(c, cross) for c in (32, 64, 32))
        self.downsample, self.upsample = nn.Conv2d(32, 64, 3, stride=2, padding=1), nn.Conv2d(64, 32, 3, padding=1)

    def forward(self, sample, timestep, encoder_hidden_states, added_cond_kwargs=None, return_dict=True):
        time = self.time_embedding(self.project(timestep.expand(sample.shape[0])).to(sample.dtype))
        if self.add_embedding is not None:
            ids = self.project(added_cond_kwargs["time_ids"].flatten()).reshape(sample.shape[0], -1)
            time = time + self.add_embedding(torch.cat([added_cond_kwargs["text_embeds"], ids.to(sample.dtype)], dim=-1))
        x = self.down(self.conv_in(sample), time, encoder_hidden_states)
        y = self.middle(self.downsample(x), time, encoder_hidden_states)
        x = x + self.upsample(F.interpolate(y, scale_factor=2.0, mode="nearest"))
        x = self.conv_out(self.up(x, time, encoder_hidden_states))
        return SimpleNamespace(sample=x) if return_dict else (x,)

    @staticmethod
    def project(timestep):
        angle = timestep[:, None].float() * torch.exp(-math.log(10000.0) * torch.arange(32) / 32)[None]
        return torch.cat([torch.cos(angle), torch.sin(angle)], dim=-1)


class AutoencoderKL(nn.Module):
    """The decoding half: latents at an eighth of the size."""

    def __init__(self):
        super().__init__()
        self.config = SimpleNamespace(scaling_factor=0.18215, block_out_channels=(8, 8, 8, 8))
        self.conv_in, self.norm, self.conv_out = nn.Conv2d(4, 8, 3, padding=1), nn.GroupNorm(4, 8), nn.Conv2d(8, 3, 3, padding=1)
        self.ups = nn.ModuleList(nn.Conv2d(8, 8, 3, padding=1) for _ in range(3))

    def decode(self, z, return_dict=True):
        x = self.conv_in(z)
        for up in self.ups:
            x = F.silu(up(F.interpolate(x, scale_factor=2.0, mode="nearest")))
        x = self.conv_out(self.norm(x))
        return SimpleNamespace(sample=x) if return_dict else (x,)


def pipeline(kind):
    """A pipeline of the class "sd" (one text encoder) or "sdxl" (two, and pooled text and sizes as further conditioning)."""
    torch.manual_seed(3)
    made = SimpleNamespace(
        tokenizer=ClipTokenizer(END, "<|endoftext|>"), tokenizer_document=tokenizer_document(), text_encoder=ClipTextModel(32, 2),
        vae=AutoencoderKL(), scheduler=SimpleNamespace(config=SimpleNamespace(
            num_train_timesteps=1000, beta_schedule="scaled_linear", beta_start=0.00085, beta_end=0.012, prediction_type="epsilon")))
    if kind == "sdxl":
        made.text_encoder_2, made.tokenizer_2 = ClipTextModel(48, 3, projection=40), ClipTokenizer(0, "!")
        made.unet = UNet2DConditionModel(32 + 48, pooled=40)
    else:
        made.unet = UNet2DConditionModel(32)
    for part in (made.text_encoder, made.unet, made.vae, getattr(made, "text_encoder_2", None)):
        if part is not None:
            part.eval()
    return made


class ClipModel(nn.Module):
    """Both encoders, with the projections to one space, as CLIPModel has them."""

    def __init__(self):
        super().__init__()
        self.config = SimpleNamespace(projection_dim=40, vision_config=SimpleNamespace(image_size=56))
        self.text_model = ClipTextModel(32, 2, projection=40)
        self.patches, self.classes = nn.Conv2d(3, 48, 14, stride=14), nn.Parameter(torch.randn(48))
        self.layer = nn.TransformerEncoderLayer(48, 4, 96, 0.0, F.gelu, batch_first=True, norm_first=True)
        self.visual_projection = nn.Linear(48, 40, bias=False)

    def get_text_features(self, input_ids, attention_mask=None):
        return self.text_model(input_ids, attention_mask).text_embeds

    def get_image_features(self, pixel_values):
        x = self.patches(pixel_values).flatten(2).transpose(1, 2)
        x = torch.cat([self.classes.expand(x.shape[0], 1, -1), x], dim=1)
        y = self.layer.norm1(x)
        x = x + self.layer.self_attn(y, y, y, need_weights=False)[0]
        x = x + self.layer.linear2(F.gelu(self.layer.linear1(self.layer.norm2(x))))
        return self.visual_projection(x[:, 0])


def clip():
    torch.manual_seed(4)
    return ClipModel().eval(), ClipTokenizer(END, "<|endoftext|>"), tokenizer_document()
