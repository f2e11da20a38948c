package io.servedrift.monitors.ledger;

import io.servedrift.schemas.Secrets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A command that can be kept: arguments that may hold a secret are left out whole and named, and
 * what changes from run to run is a placeholder. Found by a name anywhere in them ({@code
 * --api-key}, {@code HF_TOKEN=...}, {@code a=b,api_key=c}, {@code ?token=...}) or by look ({@code
 * Bearer ...}, {@code sk-...}, user and password in an address). Immutable.
 *
 * @param arguments the program and its arguments
 * @param leftOut names of what is missing
 */
public record SafeCommand(List<String> arguments, List<String> leftOut) {
  /** Stands for the address that is measured. */
  public static final String ENDPOINT = "{endpoint}";

  /** Stands for the file or folder that the command writes its results to. */
  public static final String RESULTS = "{results}";

  private static final int MOST_NAMES = 64;
  private static final Pattern OPTION = Pattern.compile("-{1,2}[A-Za-z0-9_.-]{1,64}");
  private static final Pattern NAME = Pattern.compile("-{0,2}[A-Za-z0-9_.-]{1,64}");
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./{}-]+");

  /** Characters that are not seen, or change how others are. */
  private static final Set<Byte> UNSEEN =
      Set.of(
          Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.UNASSIGNED,
          Character.PRIVATE_USE);

  /** Copies the lists. */
  public SafeCommand {
    arguments = List.copyOf(arguments);
    leftOut = List.copyOf(leftOut);
  }

  /** Leaves out what may be secret. */
  public static SafeCommand of(List<String> command) {
    List<String> kept = new ArrayList<>();
    List<String> leftOut = new ArrayList<>();
    for (int i = 0; i < command.size(); i++) {
      String argument = command.get(i);
      boolean option = OPTION.matcher(argument).matches();
      String value = option && i + 1 < command.size() ? command.get(i + 1) : "";
      if (option && Secrets.isName(argument)) {
        name(leftOut, argument);
        i += value.isEmpty() || value.startsWith("--") ? 0 : 1;
      } else if (!value.isEmpty() && SecretText.isIn(argument + " " + value)) {
        name(leftOut, argument);
        i++;
      } else if (SecretText.isIn(argument)) {
        name(leftOut, argument);
      } else {
        kept.add(argument);
      }
    }
    return new SafeCommand(kept, leftOut);
  }

  /**
   * A name only when nothing else can stand in it: an option, or what is before a first {@code =}.
   */
  private static void name(List<String> leftOut, String argument) {
    if (leftOut.size() < MOST_NAMES) {
      int equals = argument.indexOf('=');
      String name = equals < 0 ? argument : argument.substring(0, equals);
      boolean plain = NAME.matcher(name).matches() && (equals > 0 || name.startsWith("-"));
      leftOut.add(plain && !Secrets.isValue(name) ? name : "an argument");
    }
  }

  /** The same with placeholders where the endpoint and the results are named. */
  public SafeCommand generalised(String endpoint, String results) {
    return new SafeCommand(
        arguments.stream()
            .map(a -> replaced(a, endpoint, ENDPOINT))
            .map(a -> replaced(a, results, RESULTS))
            .toList(),
        leftOut);
  }

  /** Only where it stands as a whole: {@code out} is no part of {@code --output_path}. */
  private static String replaced(String argument, String value, String placeholder) {
    return value.isEmpty()
        ? argument
        : Pattern.compile("(?<![\\w./{-])" + Pattern.quote(value) + "(?![\\w.=-]|:\\d)")
            .matcher(argument)
            .replaceAll(Matcher.quoteReplacement(placeholder));
  }

  /** Whether a placeholder stands in it. */
  public boolean names(String placeholder) {
    return arguments.stream().anyMatch(argument -> argument.contains(placeholder));
  }

  /** The command to run, with values in the place of the placeholders. */
  public static List<String> filled(List<String> arguments, Map<String, String> values) {
    List<String> filled = new ArrayList<>(arguments);
    values.forEach((name, value) -> filled.replaceAll(argument -> argument.replace(name, value)));
    return List.copyOf(filled);
  }

  /**
   * As one line for people: an argument that is not plain stands in quotes as in JSON, so that
   * nothing in it moves the cursor, turns the text round or passes for two arguments.
   */
  public static String text(List<String> arguments) {
    return arguments.stream()
        .map(argument -> PLAIN.matcher(argument).matches() ? argument : quoted(argument))
        .collect(Collectors.joining(" "));
  }

  private static String quoted(String argument) {
    StringBuilder text = new StringBuilder("\"");
    for (int i = 0; i < argument.length(); i++) {
      char c = argument.charAt(i);
      if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (UNSEEN.contains((byte) Character.getType(c))) {
        text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        text.append(c);
      }
    }
    return text.append('"').toString();
  }
}
