package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the prompts of a gate: one prompt per line, or one JSON object per line when the first line
 * begins with a brace. Limits: 64 MiB, 100,000 prompts, 64 KiB a line. Stateless.
 */
public final class PromptFile {
  static final int MAX_BYTES = 64 << 20;
  static final int MAX_PROMPTS = 100_000;
  static final int MAX_LINE = 1 << 16;
  private static final int MAX_DEPTH = 40;

  private static final ObjectReader JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build()
          .readerFor(JsonNode.class);

  private PromptFile() {}

  /**
   * Reads a file.
   *
   * @throws GateInputException with all that is wrong in it; quotes no prompt
   * @throws IOException when it cannot be read
   */
  public static List<GatePrompt> read(Path file) throws IOException, GateInputException {
    return parse(text(file), file.toString());
  }

  private static String text(Path file) throws IOException, GateInputException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new GateInputException(file + ": must be at most 64 MiB (prompts)");
      }
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new GateInputException(file + ": must be UTF-8 (prompts)");
    }
  }

  /**
   * Reads a text; blank lines count for nothing.
   *
   * @param where name of the file, for messages
   */
  static List<GatePrompt> parse(String text, String where) throws GateInputException {
    List<String> problems = new ArrayList<>();
    List<GatePrompt> prompts = new ArrayList<>();
    boolean json = text.stripLeading().startsWith("{");
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      String at = where + ":" + number;
      if (line.isBlank()) {
        continue;
      }
      if (prompts.size() >= MAX_PROMPTS) {
        problems.add(at + ": must hold at most " + MAX_PROMPTS + " prompts");
        break;
      }
      if (line.length() > MAX_LINE) {
        problems.add(at + ": is " + line.length() + " long, must be at most " + MAX_LINE);
        continue;
      }
      GatePrompt prompt =
          json
              ? ofJson(prompts.size(), line, at, problems)
              : GatePrompt.plain(prompts.size(), line.strip());
      if (prompt != null) {
        prompts.add(prompt);
      }
    }
    if (prompts.isEmpty() && problems.isEmpty()) {
      problems.add(where + ": must hold at least one prompt");
    }
    if (!problems.isEmpty()) {
      throw new GateInputException(problems);
    }
    return prompts;
  }

  private static @Nullable GatePrompt ofJson(
      int index, String line, String at, List<String> problems) {
    JsonNode node;
    try {
      node = JSON.readTree(line);
    } catch (JsonProcessingException e) {
      // The parser's own text may quote the prompt.
      long column = e.getLocation() == null ? 0 : e.getLocation().getColumnNr();
      problems.add(at + ": is not one JSON object: problem at column " + column);
      return null;
    }
    return new PromptFields(node, at, problems).prompt(index);
  }
}
