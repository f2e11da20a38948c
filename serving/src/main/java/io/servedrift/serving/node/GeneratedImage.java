package io.servedrift.serving.node;

/**
 * A finished image as it is sent.
 *
 * @param requestId identity of its request event
 * @param seed seed of its noise
 * @param png the PNG file; not copied
 */
@SuppressWarnings("ArrayRecordComponent")
public record GeneratedImage(String requestId, long seed, byte[] png) {}
