package io.servedrift.serving.score;

/**
 * What the image tower wants: a square, and how to normalise it.
 *
 * @param size side of the square, pixels
 * @param mean per channel, of values between 0 and 1; three, not copied
 * @param std standard deviation per channel, above 0; three, not copied
 */
@SuppressWarnings("ArrayRecordComponent")
record ImageSettings(int size, float[] mean, float[] std) {}
