/**
 * Scores finished images: cosine of CLIP's image and text embeddings, and an aesthetic head on the
 * image embedding, run on DJL/PyTorch; asynchronously beside generation, as late {@code score}
 * events. Called by {@code node} and {@code score.http}; may import {@code ai.djl}, {@code
 * generation}, the tokenizer and the runtime of {@code engine}, and {@code ingest.publish}, but no
 * HTTP.
 */
@NullMarked
package io.servedrift.serving.score;

import org.jspecify.annotations.NullMarked;
