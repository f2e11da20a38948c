package io.servedrift.monitors.demo;

/**
 * A prompt as far as telemetry knows it.
 *
 * @param promptClass its class, e.g. {@code portrait}
 * @param hash 64 hex digits
 * @param tokens its length
 * @param clip mean of its class's clip score
 * @param aesthetic mean of its class's aesthetic score
 */
record Prompt(String promptClass, String hash, int tokens, double clip, double aesthetic) {}
