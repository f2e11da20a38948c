package io.servedrift.monitors.ledger;

import io.servedrift.schemas.Secrets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A command that can be kept: options and members that may be secret are left out and named, and
 * what changes from run to run is a placeholder. Found by name ({@code --api-key}, {@code
 * HF_TOKEN=...}, {@code a=b,api_key=c}) or by look ({@code Bearer ...}, {@code sk-...}, user and
 * password in an address). Immutable.
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
  private static final int LONGEST_NAME = 128;

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
      boolean option = argument.startsWith("-") && !argument.contains("=");
      boolean valueFollows = option && i + 1 < command.size();
      if (option && Secrets.isName(argument)) {
        name(leftOut, argument);
        i += valueFollows && !command.get(i + 1).startsWith("--") ? 1 : 0;
      } else if (valueFollows && isSecret(command.get(i + 1))) {
        name(leftOut, argument);
        i++;
      } else {
        keep(argument, kept, leftOut);
      }
    }
    return new SafeCommand(kept, leftOut);
  }

  private static void keep(String argument, List<String> kept, List<String> leftOut) {
    List<String> members = new ArrayList<>();
    boolean changed = false;
    for (String member : Arrays.asList(argument.split(",", -1))) {
      int equals = member.indexOf('=');
      boolean named = equals > 0 && Secrets.isName(member.substring(0, equals));
      if (named || isSecret(member)) {
        name(leftOut, equals > 0 ? member.substring(0, equals) : "an argument");
        changed = true;
      } else {
        members.add(member);
      }
    }
    if (Secrets.isValue(String.join(",", members))) {
      name(leftOut, "an argument");
      return;
    }
    if (!changed) {
      kept.add(argument);
    } else if (!members.isEmpty()) {
      // An option whose value lost members keeps the rest: --model_args a=b,api_key=c.
      kept.add(String.join(",", members));
    }
  }

  /** By look, or a header or member of this name: {@code X-Api-Key: ...}. */
  private static boolean isSecret(String text) {
    int colon = text.indexOf(':');
    return Secrets.isValue(text) || (colon > 0 && Secrets.isName(text.substring(0, colon)));
  }

  private static void name(List<String> leftOut, String name) {
    if (leftOut.size() < MOST_NAMES) {
      leftOut.add(name.substring(0, Math.min(LONGEST_NAME, name.length())));
    }
  }

  /** The same with placeholders where the endpoint and the results are named. */
  public SafeCommand generalised(String endpoint, String results) {
    return new SafeCommand(
        arguments.stream()
            .map(a -> endpoint.isEmpty() ? a : a.replace(endpoint, ENDPOINT))
            .map(a -> results.isEmpty() || !a.contains(results) ? a : a.replace(results, RESULTS))
            .toList(),
        leftOut);
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

  /** As one line for people; an argument with blanks is quoted, control characters are shown. */
  public static String text(List<String> arguments) {
    return arguments.stream()
        .map(argument -> argument.replaceAll("\\p{Cntrl}", "?"))
        .map(argument -> argument.matches("\\S+") ? argument : "'" + argument + "'")
        .collect(Collectors.joining(" "));
  }
}
