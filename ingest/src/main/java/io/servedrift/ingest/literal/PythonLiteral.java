package io.servedrift.ingest.literal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * Reads what Python's {@code repr} prints: literals, containers, data classes ({@code
 * GenerateReqInput(rid='a', stream=False)}), enum members ({@code <Mode.A: 1>}) and bare names
 * ({@code torch.bfloat16}). Nothing is evaluated. A data class becomes an object of its arguments;
 * a tuple or set an array; a name its text; text that a logger cut in the middle ({@code 'ab' ...
 * 'yz'}) its two ends joined by {@code ...}. Stateless, thread-safe.
 */
public final class PythonLiteral {
  private PythonLiteral() {}

  /**
   * A value with nothing behind it.
   *
   * @return null when the text is none, or is nested more than 64 levels
   */
  public static @Nullable JsonNode parse(String text) {
    try {
      LiteralReader reader = new LiteralReader(text, 0);
      JsonNode value = reader.value(1);
      return reader.atEnd() ? value : null;
    } catch (LiteralReader.Unreadable e) {
      return null;
    }
  }

  /**
   * The value that starts at a position; what is behind it is left alone.
   *
   * @return null when there is none
   */
  public static @Nullable JsonNode parseAt(String text, int start) {
    try {
      return new LiteralReader(text, start).value(1);
    } catch (LiteralReader.Unreadable e) {
      return null;
    }
  }

  /**
   * Arguments without their brackets: {@code model='a', dtype=torch.bfloat16}.
   *
   * @return what could be read up to the first part that is no argument; empty when nothing could
   */
  public static ObjectNode parseArguments(String text) {
    return new LiteralReader(text, 0).arguments();
  }
}
