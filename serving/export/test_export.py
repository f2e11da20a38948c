#!/usr/bin/env python3
"""Tests of the exporters on small random modules. Needs torch alone:  /usr/bin/python3 test_export.py"""

import hashlib
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import torch
from torch import nn

import export_clip
import export_diffusers
import model_directory as directory
import stand_ins
from scenes import tokens, world

LENGTH = 77
HERE = Path(__file__).parent


def exported(kind, folder, precisions=("fp32", "bf16", "int8")):
    pipeline = stand_ins.pipeline(kind)
    export_diffusers.export(pipeline, folder, "small-" + kind, "7", precisions)
    return pipeline, json.loads((folder / "pipeline.json").read_text())


class ExportDiffusersTest(unittest.TestCase):

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        torch.backends.quantized.engine = directory.QUANTISED_ENGINE

    def load(self, name):
        return torch.jit.load(str(self.folder / name))

    def test_every_file_is_named_with_its_digest(self):
        _, manifest = exported("sd", self.folder)
        on_disk = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in self.folder.iterdir() if p.name != "pipeline.json"}
        self.assertEqual(on_disk, manifest["sha256"])

    def test_what_the_manifest_cannot_say_fails_the_export(self):
        for field, value in (
                ("rescale_betas_zero_snr", True), ("trained_betas", [0.1, 0.2]), ("prediction_type", "sample"), ("beta_schedule", "sigmoid")):
            pipeline = stand_ins.pipeline("sd")
            setattr(pipeline.scheduler.config, field, value)
            with self.assertRaisesRegex(SystemExit, f"scheduler: {field} "):
                export_diffusers.export(pipeline, self.folder, "small", "1", ("fp32",))
            self.assertEqual([], list(self.folder.iterdir()))

    def test_weights_digest_is_that_of_the_fp32_files(self):
        _, manifest = exported("sd", self.folder)
        names = ["decoder.pt", "denoiser.pt", "text_encoder.pt"]
        lines = "".join(f"{n} {hashlib.sha256((self.folder / n).read_bytes()).hexdigest()}\n" for n in names)
        self.assertEqual("sha256:" + hashlib.sha256(lines.encode()).hexdigest(), manifest["weights_digest"])

    def test_precision_variants_do_not_change_the_weights_digest(self):
        digests = set()
        for precisions in ("fp32", "fp32,bf16,int8"):
            command = [sys.executable, HERE / "export_diffusers.py", "--random-small", "sd", "--name", "small", "--precisions", precisions]
            subprocess.run([*command, "--out", self.folder / precisions], check=True)
            digests.add(json.loads((self.folder / precisions / "pipeline.json").read_text())["weights_digest"])
        self.assertEqual(1, len(digests))

    def test_manifest_says_what_the_pipeline_is(self):
        _, manifest = exported("sd", self.folder)
        self.assertEqual({"channels": 4, "downscale": 8, "scaling": 0.18215}, manifest["latent"])
        self.assertEqual([[128, 128], [128, 64]], manifest["shapes"])
        self.assertEqual("epsilon", manifest["schedule"]["prediction"])
        self.assertEqual(LENGTH, manifest["max_tokens"])

    def test_text_encoder_ignores_the_padding_id(self):
        _, manifest = exported("sd", self.folder)
        text = self.load(manifest["files"]["text_encoder"]["fp32"])
        ids, mask = torch.full((1, LENGTH), 5), torch.zeros(1, LENGTH)
        ids[0, 0], ids[0, 4], mask[0, :5] = stand_ins.START, stand_ins.END, 1
        other = torch.where(mask > 0, ids, torch.full_like(ids, 9))
        self.assertTrue(torch.equal(text(ids, mask), text(other, mask)))

    def test_xl_denoiser_gets_pooled_embedding_and_size(self):
        pipeline, manifest = exported("sdxl", self.folder)
        text = self.load(manifest["files"]["text_encoder"]["fp32"])
        ids = export_diffusers.ids(2, LENGTH, pipeline.tokenizer)
        mask = export_diffusers.masks(2, LENGTH)
        cond = text(ids, mask)
        self.assertEqual((2, LENGTH, 32 + 48 + 40), tuple(cond.shape))
        latent, time = torch.randn(2, 4, 8, 12), torch.tensor([700.0, 30.0])
        second = pipeline.text_encoder_2(torch.where(mask > 0, ids, torch.zeros_like(ids)), output_hidden_states=True)
        first = pipeline.text_encoder(ids, output_hidden_states=True)
        with torch.no_grad():
            expected = pipeline.unet(
                latent, time, torch.cat([first.hidden_states[-2], second.hidden_states[-2]], dim=-1),
                added_cond_kwargs={"text_embeds": second.text_embeds, "time_ids": torch.tensor([[64.0, 96, 0, 0, 64, 96]] * 2)}).sample
            actual = self.load(manifest["files"]["denoiser"]["fp32"])(latent, time, cond, mask)
        torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5)

    def test_lower_precisions_are_near_but_not_equal(self):
        _, manifest = exported("sd", self.folder)
        inputs = (torch.randn(2, 4, 16, 16), torch.tensor([800.0, 100.0]), torch.randn(2, LENGTH, 32), torch.ones(2, LENGTH))
        files = manifest["files"]["denoiser"]
        with torch.no_grad():
            full, *others = (self.load(files[p])(*inputs) for p in ("fp32", "bf16", "int8"))
        for other in others:
            self.assertEqual(torch.float32, other.dtype)
            gap = (other - full).abs().max() / full.abs().max()
            self.assertGreater(gap, 1e-5)
            self.assertLess(gap, 0.1)

    def test_module_whose_trace_is_bound_to_the_example_is_refused(self):
        class Bound(nn.Module):
            def forward(self, x):
                return x * len(x)  # A number of Python: the trace keeps that of the example.

        with self.assertRaisesRegex(SystemExit, "bound.pt: traced differs"):
            export_diffusers.save(Bound(), [(torch.ones(1, 2),), (torch.ones(3, 2),)], self.folder / "bound.pt")
        self.assertFalse((self.folder / "bound.pt").exists())


class ExportClipTest(unittest.TestCase):

    def test_scorer_answers_as_the_model(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            clip, tokenizer, document = stand_ins.clip()
            head = export_clip.AestheticHead(40).eval()
            export_clip.export(clip, head, tokenizer, document, folder, "small-clip", "1")
            manifest = json.loads((folder / "scorer.json").read_text())
            self.assertEqual(40, manifest["embedding"])
            self.assertEqual(56, manifest["image"]["size"])
            rgb, ids, mask = torch.randn(5, 3, 56, 56), export_diffusers.ids(5, LENGTH, tokenizer), export_diffusers.masks(5, LENGTH)
            with torch.no_grad():
                image = torch.jit.load(str(folder / "image.pt"))(rgb)
                torch.testing.assert_close(image, clip.get_image_features(rgb), rtol=1e-4, atol=1e-5)
                torch.testing.assert_close(
                    torch.jit.load(str(folder / "text.pt"))(ids, mask), clip.get_text_features(ids), rtol=1e-4, atol=1e-5)
                torch.testing.assert_close(torch.jit.load(str(folder / "aesthetic.pt"))(image), head(image))


class ScenesTest(unittest.TestCase):

    def test_unknown_word_and_long_prompt(self):
        ids = tokens.encode("A red zebra")
        self.assertEqual([tokens.VOCABULARY[t] for t in ("<start>", "a", "red", "<unk>", "<end>")], ids)
        self.assertEqual(tokens.MAX_TOKENS, len(tokens.encode("red " * 100)))

    def test_drawing_follows_the_prompt(self):
        item = world.Item("red", "square", "large", 0, True)
        prompt = world.Prompt("one", (item,), background="black", background_said=True)
        self.assertEqual("a large red square at the top left on a black background", prompt.text)
        image, _ = world.draw([prompt], 64, 64, world.Random(1))
        inside, outside = image[0, :, 13, 13], image[0, :, 50, 50]
        self.assertEqual(list(world.COLOURS["red"]), ((inside + 1) * 127.5).round().int().tolist())
        self.assertEqual(list(world.BACKGROUNDS["black"]), ((outside + 1) * 127.5).round().int().tolist())

    def test_contradiction_says_something_else(self):
        rng = world.Random(3)
        for _ in range(500):
            prompt = world.draw_prompt(rng)
            self.assertNotEqual(prompt.text, world.contradict(prompt, rng).text)


if __name__ == "__main__":
    unittest.main()
