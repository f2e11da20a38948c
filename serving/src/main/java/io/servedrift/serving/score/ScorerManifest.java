package io.servedrift.serving.score;

import java.util.Map;

/**
 * What {@code scorer.json} says, checked.
 *
 * @param name of the scorer, part of its identity
 * @param revision of the scorer, for people
 * @param digest of the weights: 64 hex digits, SHA-256 over the lines {@code "file sha256\n"} of
 *     {@code files}, sorted
 * @param files file name by part: {@code image}, {@code text} and {@code aesthetic}
 * @param sha256 64 hex digits by file name, for every file that is loaded
 * @param tokenizer file name of the tokenizer
 * @param maxTokens tokens after which prompts are cut
 * @param image what the image tower wants
 * @param embedding length of the embeddings
 */
record ScorerManifest(
    String name,
    String revision,
    String digest,
    Map<String, String> files,
    Map<String, String> sha256,
    String tokenizer,
    int maxTokens,
    ImageSettings image,
    int embedding) {

  ScorerManifest {
    files = Map.copyOf(files);
    sha256 = Map.copyOf(sha256);
  }

  /** {@code name@} and the first eight digits of the digest. */
  String identity() {
    return name + "@" + digest.substring(0, 8);
  }
}
