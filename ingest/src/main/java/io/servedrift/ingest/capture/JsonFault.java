package io.servedrift.ingest.capture;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.io.IOException;

/**
 * What is wrong with a text that should be JSON, without a word of the text: a file that was looked
 * at while it was written, or cut by a full disk, must not be taken for one of another kind.
 */
public final class JsonFault {
  private JsonFault() {}

  /**
   * Of a text with lines of its own.
   *
   * @param thrown by the parser
   */
  public static String inText(IOException thrown) {
    return what(thrown) + place(thrown, true);
  }

  /**
   * Of one line, whose number stands elsewhere.
   *
   * @param thrown by the parser
   */
  public static String inLine(IOException thrown) {
    return what(thrown) + place(thrown, false);
  }

  /**
   * Whether the text is whole, and something follows it.
   *
   * @param thrown by the parser
   */
  static boolean isMore(IOException thrown) {
    return thrown instanceof JsonProcessingException json
        && String.valueOf(json.getOriginalMessage()).startsWith("Trailing token");
  }

  private static String what(IOException thrown) {
    if (thrown instanceof JsonEOFException) {
      return "JSON that ends in the middle";
    }
    if (thrown instanceof StreamConstraintsException) {
      return "JSON with a part that is too long or too deep";
    }
    if (!(thrown instanceof JsonProcessingException json)) {
      return "bytes that are not UTF-8";
    }
    String message = String.valueOf(json.getOriginalMessage());
    if (message.startsWith("Duplicate field")) {
      return "JSON with a repeated key";
    }
    return isMore(thrown) ? "more than one JSON value" : "broken JSON";
  }

  private static String place(IOException thrown, boolean lines) {
    JsonLocation at =
        thrown instanceof JsonProcessingException json ? json.getLocation() : JsonLocation.NA;
    if (at == null || at.getColumnNr() < 1) {
      return "";
    }
    String line = lines || at.getLineNr() > 1 ? "line " + at.getLineNr() + ", " : "";
    return " at " + line + "column " + at.getColumnNr();
  }
}
