package io.servedrift.monitors.gate;

import org.jspecify.annotations.Nullable;

/**
 * How far apart two outputs for the same prompt and seed are. What is null was not measured.
 *
 * @param pair the two arms
 * @param prompt index in the prompt file
 * @param seed the seed both were given
 * @param identical equal digests (pixels or text)
 * @param psnrDb peak signal-to-noise ratio; infinite when identical
 * @param ssim structural similarity, up to 1
 * @param cosine cosine of the scorer's embeddings
 * @param firstDivergence chat: index of the first token that differs; null when none does
 * @param tokenShare chat: share of positions with equal tokens, 0 to 1
 */
public record PairDistance(
    ArmPair pair,
    int prompt,
    long seed,
    boolean identical,
    @Nullable Double psnrDb,
    @Nullable Double ssim,
    @Nullable Double cosine,
    @Nullable Integer firstDivergence,
    @Nullable Double tokenShare) {}
