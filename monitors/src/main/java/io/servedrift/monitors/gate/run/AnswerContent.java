package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.Answer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a reply holds. Immutable by convention: nobody writes into the array.
 *
 * @param error short code when it is no answer, else null
 * @param digest SHA-256 of pixels or text; null when not looked at
 * @param file the image's file, or the text in UTF-8; null when not kept
 * @param text of a chat answer
 * @param tokens of a chat answer
 * @param firstTokenNanos reading of the timeline when the first token had come
 * @param served what the endpoint says about how it served
 */
@SuppressWarnings("ArrayRecordComponent")
record AnswerContent(
    @Nullable String error,
    @Nullable String digest,
    byte @Nullable [] file,
    @Nullable String text,
    @Nullable List<String> tokens,
    @Nullable Long firstTokenNanos,
    Answer.Served served) {
  static AnswerContent wrong(String error) {
    return new AnswerContent(error, null, null, null, null, null, Answer.Served.unknown());
  }
}
