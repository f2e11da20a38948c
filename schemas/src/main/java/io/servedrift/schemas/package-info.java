/**
 * What is said: the events, how they look on the wire, what a configuration id means, how a prompt
 * is hashed, which topics exist. Called by every module; imports Avro and Jackson only, nothing of
 * ours.
 */
@NullMarked
package io.servedrift.schemas;

import org.jspecify.annotations.NullMarked;
