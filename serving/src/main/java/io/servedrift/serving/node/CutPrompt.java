package io.servedrift.serving.node;

/**
 * A prompt that the model reads in part.
 *
 * @param member member of the call that holds it
 * @param tokens its length, marks at its ends included
 * @param read how many of them the model reads
 */
public record CutPrompt(String member, int tokens, int read) {}
