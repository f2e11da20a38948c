package io.servedrift.serving.engine;

/**
 * What a conditioning was computed from.
 *
 * @param weightsDigest digest of the model's weights
 * @param encoder precision of the text encoder and whatever else of its settings changes its output
 * @param tokens the prompt's tokens
 */
record ConditioningKey(String weightsDigest, String encoder, PromptTokens tokens) {}
