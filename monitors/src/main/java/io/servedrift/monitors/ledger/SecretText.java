package io.servedrift.monitors.ledger;

import io.servedrift.schemas.Secrets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells whether a secret may stand somewhere within a text: by look, or as the value of a name.
 * Texts nest (a shell's command holds an address, which holds a query), so every name in it counts
 * whatever stands around it. Thread-safe.
 */
public final class SecretText {
  /** What {@code =} or {@code :} follows, maybe behind quotes: {@code "api_key": x}. */
  private static final Pattern NAMED =
      Pattern.compile("([A-Za-z0-9_.-]+)[\"'\\\\\\])}]*\\s*[+?]?[=:]");

  /** An option and its value: {@code --api-key x}, but not the switch {@code --token --n 3}. */
  private static final Pattern OPTION =
      Pattern.compile("(?<![A-Za-z0-9_.-])(-{1,2}[A-Za-z0-9_.-]+)[\"',]*\\s+(?!--)\\S");

  /** User and password as curl and others take them: {@code -u me:x}, {@code --user=me:x}. */
  private static final Pattern USER =
      Pattern.compile(
          "(?<![A-Za-z0-9_.-])(-[uU]|--(?:proxy-)?user)[\\s='\"]*[^\\s:='\"-][^\\s:]*:(?!//)\\S");

  private static final Pattern BETWEEN_PIECES = Pattern.compile("[\\s&;?,\"'=|(){}<>]+");

  private SecretText() {}

  /** Whether something in a text may be a secret. */
  public static boolean isIn(String text) {
    return Secrets.isValue(text)
        || USER.matcher(text).find()
        || names(NAMED, text)
        || names(OPTION, text)
        || BETWEEN_PIECES.splitAsStream(text).anyMatch(Secrets::isValue);
  }

  private static boolean names(Pattern pattern, String text) {
    Matcher found = pattern.matcher(text);
    while (found.find()) {
      if (Secrets.isName(found.group(1))) {
        return true;
      }
    }
    return false;
  }
}
