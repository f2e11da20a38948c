"""Images as they come from a generator, good and bad: rebuilt by the autoencoder, denoised from part of the way, noisy, blurred."""

import torch
from torch.nn import functional as F


def gaussian_blur(images, sigma):
    """Blurs each image with its own standard deviation in pixels, sigma [N]."""
    offsets = torch.arange(-6, 7, dtype=torch.float32)
    kernel = torch.exp(-0.5 * (offsets / sigma.view(-1, 1).clamp(min=0.05)) ** 2)
    kernel = (kernel / kernel.sum(dim=1, keepdim=True)).repeat_interleave(3, dim=0)
    n, c, h, w = images.shape
    flat = F.pad(images, (6, 6, 6, 6), mode="replicate").reshape(1, n * c, h + 12, w + 12)
    flat = F.conv2d(flat, kernel.view(n * c, 1, 1, 13), groups=n * c)
    return F.conv2d(flat, kernel.view(n * c, 1, 13, 1), groups=n * c).view(n, c, h, w)


def pixel_noise(images, sigma, generator=None):
    """Adds noise with a standard deviation per image, sigma [N]; 2 is the whole range of values."""
    noise = torch.randn(images.shape, generator=generator)
    return (images + sigma.view(-1, 1, 1, 1) * noise).clamp(-1, 1)


def blur(images, strength):
    """Blur of strength 0 to 1 (2.5 pixels)."""
    return gaussian_blur(images, 2.5 * strength)


def noise(images, strength):
    """Noise of strength 0 to 1 (a quarter of the range)."""
    return pixel_noise(images, 0.5 * strength)
