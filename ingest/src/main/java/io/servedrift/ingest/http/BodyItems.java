package io.servedrift.ingest.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.servedrift.schemas.Problem;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.RejectReason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a body into its items without parsing them: a broken line of NDJSON costs that line only, a
 * broken array what comes after the break.
 */
final class BodyItems {

  private static final JsonFactory JSON = new JsonFactory();

  /** One item of the body. */
  static final class Item {
    private final byte[] payload;
    private final Reading.@Nullable Rejected broken;

    private Item(byte[] payload, Reading.@Nullable Rejected broken) {
      this.payload = payload;
      this.broken = broken;
    }

    /** Its bytes as they were sent. */
    byte[] payload() {
      return payload;
    }

    /** Why it cannot even be cut out; {@code null} when it can. */
    Reading.@Nullable Rejected broken() {
      return broken;
    }
  }

  private BodyItems() {}

  /** Lines; blank ones are not items. */
  static List<Item> lines(byte[] body, int maxItems) throws RefusedException {
    List<Item> items = new ArrayList<>();
    int start = skipByteOrderMark(body);
    while (start < body.length) {
      int end = start;
      while (end < body.length && body[end] != '\n') {
        end++;
      }
      if (!isBlank(body, start, end)) {
        add(items, new Item(Arrays.copyOfRange(body, start, end), null), maxItems);
      }
      start = end + 1;
    }
    return items;
  }

  /** One object, or the elements of an array. */
  static List<Item> json(byte[] body, int maxItems) throws RefusedException {
    int start = skipByteOrderMark(body);
    while (start < body.length && isSpace(body[start])) {
      start++;
    }
    if (start == body.length) {
      return List.of();
    }
    if (body[start] == '[') {
      return elements(body, start, maxItems);
    }
    return List.of(new Item(Arrays.copyOfRange(body, start, body.length), null));
  }

  private static List<Item> elements(byte[] body, int start, int maxItems) throws RefusedException {
    List<Item> items = new ArrayList<>();
    int readUpTo = start;
    try (JsonParser parser = JSON.createParser(body, start, body.length - start)) {
      parser.nextToken();
      for (JsonToken token = parser.nextToken();
          token != JsonToken.END_ARRAY;
          token = parser.nextToken()) {
        if (token == null) {
          throw new IOException("the array is not closed");
        }
        int from = start + offset(parser.currentTokenLocation().getByteOffset());
        parser.skipChildren();
        parser.finishToken();
        int to = start + offset(parser.currentLocation().getByteOffset());
        add(items, new Item(Arrays.copyOfRange(body, from, to), null), maxItems);
        readUpTo = to;
      }
      readUpTo = start + offset(parser.currentLocation().getByteOffset());
      if (parser.nextToken() != null) {
        throw new IOException("there is more after the array");
      }
    } catch (IOException e) {
      add(items, brokenRest(body, readUpTo, e), maxItems);
    }
    return items;
  }

  private static int offset(long byteOffset) throws IOException {
    if (byteOffset < 0) {
      throw new IOException("the text is not UTF-8");
    }
    return Math.toIntExact(byteOffset);
  }

  private static Item brokenRest(byte[] body, int from, IOException why) {
    String text =
        why instanceof JsonProcessingException syntax && syntax.getLocation() != null
            ? "syntax error at byte " + syntax.getLocation().getByteOffset()
            : String.valueOf(why.getMessage());
    return new Item(
        Arrays.copyOfRange(body, from, body.length),
        new Reading.Rejected(
            RejectReason.BAD_JSON.code(),
            List.of(
                new Problem("array", text, "an array of objects; nothing from here on was read"))));
  }

  private static void add(List<Item> items, Item item, int maxItems) throws RefusedException {
    if (items.size() == maxItems) {
      throw new RefusedException(
          413, "more than " + maxItems + " events in one body: send fewer per request");
    }
    items.add(item);
  }

  private static int skipByteOrderMark(byte[] body) {
    return body.length >= 3
            && body[0] == (byte) 0xEF
            && body[1] == (byte) 0xBB
            && body[2] == (byte) 0xBF
        ? 3
        : 0;
  }

  private static boolean isBlank(byte[] body, int start, int end) {
    for (int i = start; i < end; i++) {
      if (!isSpace(body[i])) {
        return false;
      }
    }
    return true;
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || b == '\t' || b == '\r' || b == '\n';
  }
}
