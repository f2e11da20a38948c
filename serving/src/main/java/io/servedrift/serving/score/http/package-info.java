/**
 * The scorer as a service of its own, to stand beside any image server: {@code POST /v1/scores}
 * takes images and prompts and answers with scores; with a deployment and a request id it publishes
 * them, too. Called by {@code cli}; may import {@code score}, {@code ingest.http}, {@code
 * ingest.publish} and Javalin.
 */
@NullMarked
package io.servedrift.serving.score.http;

import org.jspecify.annotations.NullMarked;
