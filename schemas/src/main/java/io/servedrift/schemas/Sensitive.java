package io.servedrift.schemas;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Tells by name, and for secrets also by look, what must not be stored or shown. */
final class Sensitive {
  private static final Set<String> SECRET_ANYWHERE =
      Set.of(
          "password",
          "passwd",
          "passphrase",
          "pwd",
          "secret",
          "secrets",
          "credential",
          "credentials",
          "authorization",
          "bearer",
          "cookie",
          "apikey",
          "jwt");
  private static final Set<String> KEY_OWNERS =
      Set.of(
          "api",
          "auth",
          "access",
          "private",
          "secret",
          "encryption",
          "signing",
          "ssl",
          "tls",
          "ssh",
          "account");
  private static final Set<String> TOKEN_OWNERS =
      Set.of("api", "auth", "access", "hf", "hub", "bearer", "refresh", "id", "session");

  /** Special tokens of a vocabulary are no secrets. */
  private static final Set<String> VOCABULARY =
      Set.of(
          "eos", "bos", "pad", "unk", "mask", "sep", "cls", "stop", "image", "special", "begin",
          "end", "think");

  private static final Set<String> CONTENT =
      Set.of(
          "prompt",
          "prompts",
          "text",
          "texts",
          "content",
          "contents",
          "message",
          "messages",
          "input",
          "inputs",
          "image",
          "images",
          "img",
          "picture",
          "photo",
          "video",
          "audio",
          "b64",
          "base64",
          "data",
          "query",
          "question",
          "answer",
          "completion",
          "response",
          "caption",
          "instruction",
          "instructions",
          "system",
          "user",
          "email",
          "body",
          "document",
          "documents",
          "note",
          "comment",
          "description",
          "title",
          "url",
          "uri",
          "output",
          "outputs",
          "payload",
          "mask",
          "headers",
          "request",
          "negative");

  private static final Pattern SECRET_VALUE =
      Pattern.compile(
          "(?i:bearer\\s+\\S+|basic\\s+[a-z0-9+/=]{8,})|hf_[A-Za-z0-9]{16,}|sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{16,}"
              + "|AKIA[A-Z0-9]{12,}|xox[a-z]-[A-Za-z0-9-]{8,}|eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_.-]*|-----BEGIN [A-Z ]*PRIVATE KEY"
              + "|://[^/\\s:@]*:[^/\\s@]+@");

  private Sensitive() {}

  /** {@code maxTokens}, {@code max-tokens} and {@code max_tokens} are {@code [max, tokens]}. */
  static List<String> words(String name) {
    List<String> words = new ArrayList<>(4);
    StringBuilder word = new StringBuilder();
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean camel =
          Character.isUpperCase(c) && i > 0 && Character.isLowerCase(name.charAt(i - 1));
      if ((camel || !Character.isLetterOrDigit(c)) && word.length() > 0) {
        words.add(word.toString());
        word.setLength(0);
      }
      if (Character.isLetterOrDigit(c)) {
        word.append(Character.toLowerCase(c));
      }
    }
    if (word.length() > 0) {
      words.add(word.toString());
    }
    return words;
  }

  /** Whether a member of this name holds a secret. */
  static boolean isSecretName(String name) {
    return isSecret(words(name));
  }

  private static boolean isSecret(List<String> words) {
    if (words.isEmpty()) {
      return false;
    }
    for (String w : words) {
      if (SECRET_ANYWHERE.contains(w)) {
        return true;
      }
    }
    String last = words.get(words.size() - 1);
    String before = words.size() > 1 ? words.get(words.size() - 2) : "";
    return switch (last) {
      case "key", "keys", "keyfile" -> KEY_OWNERS.contains(before);
      case "token" -> !VOCABULARY.contains(before);
      case "tokens" -> TOKEN_OWNERS.contains(before);
      default -> false;
    };
  }

  /** Whether a text looks like a secret whatever its name is. */
  static boolean isSecretValue(String value) {
    return SECRET_VALUE.matcher(value).find();
  }

  /** Whether a member of this name can hold a prompt, an image or a secret. */
  static boolean isContentName(String name) {
    List<String> words = words(name);
    if (isSecret(words)) {
      return true;
    }
    for (String w : words) {
      if (CONTENT.contains(w)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether a text can be shown: an identifier, a word, a time; not a sentence, not a blob, not a
   * secret.
   */
  static boolean isIdentifierLike(String value, int maxLength) {
    if (value.length() > maxLength) {
      return false;
    }
    for (int i = 0; i < value.length(); i++) {
      if (Character.isWhitespace(value.charAt(i)) || Character.isISOControl(value.charAt(i))) {
        return false;
      }
    }
    return !isSecretValue(value);
  }

  static String lengthOnly(String value) {
    return "text of " + value.length() + " characters";
  }

  /** The path as far as it may be shown: names of members can be content too. */
  static String shownName(String name) {
    return isIdentifierLike(name, 64)
        ? name
        : "(" + lengthOnly(name).toLowerCase(Locale.ROOT) + ")";
  }
}
