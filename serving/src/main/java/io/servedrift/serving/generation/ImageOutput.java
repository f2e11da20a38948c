package io.servedrift.serving.generation;

/**
 * A finished image.
 *
 * @param width pixels
 * @param height pixels
 * @param rgb {@code width * height * 3} bytes, row by row from the top, red first; not copied
 */
@SuppressWarnings("ArrayRecordComponent")
public record ImageOutput(int width, int height, byte[] rgb) {}
