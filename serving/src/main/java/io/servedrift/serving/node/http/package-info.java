/**
 * The HTTP API of the node: images in the style of OpenAI, health, resolved configuration, metrics
 * and administration. Called by {@code cli}, which starts the server; may import {@code node} and
 * what that imports, Javalin and Jetty.
 */
@NullMarked
package io.servedrift.serving.node.http;

import org.jspecify.annotations.NullMarked;
