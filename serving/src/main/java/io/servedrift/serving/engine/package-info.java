/**
 * Text-to-image diffusion on DJL with the PyTorch engine: reads and checks a pipeline directory,
 * loads its TorchScript modules, turns prompts into conditioning through the cache, draws each
 * request's own noise and advances batches by one denoising step. Called by the scheduler through
 * {@code DiffusionBackend}, by the node, and by the scorer for {@link
 * io.servedrift.serving.engine.PromptTokenizer}. May import {@code generation}, {@code cache},
 * {@code fault}, {@code recorder}, {@code schemas}, {@code ingest} and {@code ai.djl}. Nothing is
 * downloaded at run time.
 */
@NullMarked
package io.servedrift.serving.engine;

import org.jspecify.annotations.NullMarked;
