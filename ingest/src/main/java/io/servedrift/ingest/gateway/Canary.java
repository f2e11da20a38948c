package io.servedrift.ingest.gateway;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A prompt that is asked again and again.
 *
 * @param name its name in the file
 * @param path where it is posted
 * @param body what is posted
 * @param check what its answer is held against
 */
record Canary(String name, String path, ObjectNode body, CanaryCheck check) {}
