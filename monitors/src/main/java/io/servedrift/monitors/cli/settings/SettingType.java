package io.servedrift.monitors.cli.settings;

import io.servedrift.monitors.text.Quantities;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * How the text of a setting becomes a value. Immutable.
 *
 * @param name the kind of value as help shows it, for example {@code DURATION}
 * @param allowed the range or form, completing the sentence "must be ..."
 * @param reader text to value; throws {@link IllegalArgumentException} for anything not allowed
 */
public record SettingType<T>(String name, String allowed, Function<String, T> reader) {

  private static final Pattern HOST_PORT =
      Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+):(\\d{1,5})");

  /** Reads {@code text}; throws {@link IllegalArgumentException} when it is not allowed. */
  public T read(String text) {
    return reader.apply(text);
  }

  /** A duration between two bounds, both included, written as {@code 30s} or ISO-8601. */
  static SettingType<Duration> duration(String least, String most) {
    Duration low = Quantities.duration(least);
    Duration high = Quantities.duration(most);
    String allowed = "a duration (30s, 5m, PT1H) from " + least + " to " + most;
    return new SettingType<>("DURATION", allowed, text -> within(text, low, high));
  }

  /** A duration between two bounds, or {@code off}, which is empty. */
  static SettingType<Optional<Duration>> durationOrOff(String least, String most) {
    SettingType<Duration> duration = duration(least, most);
    // YAML takes the word off for false.
    Set<String> off = Set.of("off", "false");
    return new SettingType<>(
        "DURATION|off",
        duration.allowed() + ", or off",
        text ->
            off.contains(text.strip().toLowerCase(Locale.ROOT))
                ? Optional.empty()
                : Optional.of(duration.read(text)));
  }

  /** A share of a whole: above 0, at most 1. */
  static SettingType<Double> share() {
    return new SettingType<>(
        "SHARE",
        "a number above 0, at most 1",
        text -> {
          double share = Double.parseDouble(text.strip());
          if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("out of range");
          }
          return share;
        });
  }

  /** A comma-separated list of durations, each between two bounds. */
  static SettingType<List<Duration>> durations(String least, String most) {
    Duration low = Quantities.duration(least);
    Duration high = Quantities.duration(most);
    String allowed =
        "durations (30s, 5m, PT1H) from " + least + " to " + most + ", separated by commas";
    return new SettingType<>(
        "DURATION,...",
        allowed,
        text -> items(text).stream().map(item -> within(item, low, high)).toList());
  }

  /** A whole number between two bounds, both included. */
  static SettingType<Integer> integer(int least, int most) {
    return new SettingType<>(
        "NUMBER",
        "a whole number from " + least + " to " + most,
        text -> Math.toIntExact(inRange(Long.parseLong(text.strip()), least, most)));
  }

  /** A number of bytes between two bounds that are written as sizes. */
  static SettingType<Integer> size(String least, String most) {
    long low = Quantities.bytes(least);
    long high = Quantities.bytes(most);
    return new SettingType<>(
        "SIZE",
        "a size (512KiB, 64MiB) from " + least + " to " + most,
        text -> Math.toIntExact(inRange(Quantities.bytes(text), low, high)));
  }

  /** {@code true} or {@code false}. */
  static SettingType<Boolean> flag() {
    return new SettingType<>(
        "true|false",
        "true or false",
        text ->
            switch (text.strip().toLowerCase(Locale.ROOT)) {
              case "true" -> true;
              case "false" -> false;
              default -> throw new IllegalArgumentException("neither true nor false");
            });
  }

  /** One of some words. */
  static SettingType<String> word(String... words) {
    List<String> known = List.of(words);
    return new SettingType<>(
        String.join("|", known),
        "one of " + String.join(", ", known),
        text -> {
          String word = text.strip().toLowerCase(Locale.ROOT);
          if (!known.contains(word)) {
            throw new IllegalArgumentException("unknown word");
          }
          return word;
        });
  }

  /** Text that matches a pattern as a whole. */
  static SettingType<String> text(String name, String regex, String allowed) {
    Pattern pattern = Pattern.compile(regex);
    return new SettingType<>(
        name,
        allowed,
        text -> {
          if (!pattern.matcher(text.strip()).matches()) {
            throw new IllegalArgumentException("does not match");
          }
          return text.strip();
        });
  }

  /** A comma-separated list whose items match a pattern. */
  static SettingType<List<String>> texts(String name, String regex, String allowed) {
    Pattern pattern = Pattern.compile(regex);
    return new SettingType<>(
        name,
        allowed,
        text -> {
          List<String> items = items(text);
          if (items.stream().anyMatch(item -> !pattern.matcher(item).matches())) {
            throw new IllegalArgumentException("does not match");
          }
          return items;
        });
  }

  /** Kafka bootstrap servers, kept as the text Kafka expects. */
  static SettingType<String> hostPorts() {
    return new SettingType<>(
        "HOST:PORT,...",
        "host:port pairs separated by commas, for example localhost:9092",
        text -> {
          List<String> items = items(text);
          for (String item : items) {
            var match = HOST_PORT.matcher(item);
            if (!match.matches()) {
              throw new IllegalArgumentException("not host:port");
            }
            inRange(Long.parseLong(match.group(2)), 1, 65535);
          }
          return String.join(",", items);
        });
  }

  /** A path; whether it exists is asked by who opens it. */
  static SettingType<Path> path(String name) {
    return new SettingType<>(
        name,
        "a path",
        text -> {
          if (text.isBlank()) {
            throw new IllegalArgumentException("empty");
          }
          try {
            return Path.of(text);
          } catch (InvalidPathException e) {
            throw new IllegalArgumentException("not a path", e);
          }
        });
  }

  /** An absolute http or https URL. */
  static SettingType<URI> url() {
    return new SettingType<>("URL", "an http:// or https:// URL", SettingType::web);
  }

  /** A URL that is shown to people: without user name and password, and without a fragment. */
  static SettingType<URI> link() {
    return new SettingType<>(
        "URL",
        "an http:// or https:// URL without user name, password and #fragment",
        text -> {
          URI uri = web(text);
          if (uri.getRawUserInfo() != null || uri.getRawFragment() != null) {
            throw new IllegalArgumentException("holds a user name or a fragment");
          }
          return uri;
        });
  }

  /** A URL to which a path is added: nothing but scheme, host, port and path. */
  static SettingType<URI> base() {
    return new SettingType<>(
        "URL",
        "an http:// or https:// URL without user name, password, ?query and #fragment",
        SettingType::plain);
  }

  /** A comma-separated list of such URLs. */
  static SettingType<List<URI>> bases() {
    return new SettingType<>(
        "URL,...",
        "http:// or https:// URLs without user name, password, ?query and #fragment, separated by"
            + " commas; no underscore in a host name",
        text -> items(text).stream().map(SettingType::plain).toList());
  }

  private static URI plain(String text) {
    URI uri = web(text);
    if (uri.getRawUserInfo() != null || uri.getRawQuery() != null || uri.getRawFragment() != null) {
      throw new IllegalArgumentException("holds more than an address");
    }
    return uri;
  }

  private static URI web(String text) {
    URI uri = URI.create(text.strip());
    boolean web =
        "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
    if (!web || uri.getHost() == null) {
      throw new IllegalArgumentException("not an http URL");
    }
    if (uri.getPort() == 0 || uri.getPort() > 65_535) {
      throw new IllegalArgumentException("no such port");
    }
    return uri;
  }

  private static List<String> items(String text) {
    List<String> items = new ArrayList<>();
    for (String item : text.split(",", -1)) {
      if (item.isBlank()) {
        throw new IllegalArgumentException("empty item");
      }
      items.add(item.strip());
    }
    return List.copyOf(items);
  }

  private static Duration within(String text, Duration low, Duration high) {
    Duration value = Quantities.duration(text);
    if (value.compareTo(low) < 0 || value.compareTo(high) > 0) {
      throw new IllegalArgumentException("out of range");
    }
    return value;
  }

  private static long inRange(long value, long low, long high) {
    if (value < low || value > high) {
      throw new IllegalArgumentException("out of range");
    }
    return value;
  }
}
