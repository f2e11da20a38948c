/**
 * What the scheduler, the engine and the API agree on: a request for an image, its generation in
 * progress, the finished image and the backend that advances a batch by one denoising step. Called
 * by every other package of the node; may import {@code recorder} only.
 */
@NullMarked
package io.servedrift.serving.generation;

import org.jspecify.annotations.NullMarked;
