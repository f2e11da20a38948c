package io.servedrift.ingest.files;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** How the text of a cell becomes the value of a field. Immutable, thread-safe. */
sealed interface Conversion {
  /** Result of one cell. */
  sealed interface Outcome {
    record Value(JsonNode node) implements Outcome {}

    /** The whole row is left out, with the reason that the mapping gives. */
    record Skip(String reason) implements Outcome {}

    /**
     * The cell is none of what the field takes.
     *
     * @param reason code of the rejection
     * @param allowed what would have been accepted
     */
    record Bad(String reason, String allowed) implements Outcome {}
  }

  String BAD_VALUE = "bad_value";

  /** Converts a cell that is not empty. */
  Outcome convert(String cell);

  /** The text as it stands. */
  record Text() implements Conversion {
    @Override
    public Outcome convert(String cell) {
      return new Outcome.Value(TextNode.valueOf(cell));
    }
  }

  /** One of the words of the contract, in any case. */
  record Word(FieldTarget target) implements Conversion {
    @Override
    public Outcome convert(String cell) {
      String word = cell.toLowerCase(Locale.ROOT);
      return target.allowed().contains(word)
          ? new Outcome.Value(TextNode.valueOf(word))
          : new Outcome.Bad(BAD_VALUE, target.describe());
    }
  }

  /** {@code true} or {@code false}, in any case. */
  record Flag() implements Conversion {
    @Override
    public Outcome convert(String cell) {
      return switch (cell.toLowerCase(Locale.ROOT)) {
        case "true" -> new Outcome.Value(BooleanNode.TRUE);
        case "false" -> new Outcome.Value(BooleanNode.FALSE);
        default -> new Outcome.Bad(BAD_VALUE, "true or false");
      };
    }
  }

  /** A number times a factor; {@code 30.0} is a whole number, {@code 30.5} is not. */
  record Scaled(BigDecimal factor, boolean whole) implements Conversion {
    @Override
    public Outcome convert(String cell) {
      BigDecimal number = Numbers.parse(cell);
      if (number == null) {
        return new Outcome.Bad(BAD_VALUE, whole ? "a whole number" : "a finite number");
      }
      BigDecimal value = number.multiply(factor);
      if (!whole) {
        return new Outcome.Value(DoubleNode.valueOf(value.doubleValue()));
      }
      try {
        return new Outcome.Value(LongNode.valueOf(value.longValueExact()));
      } catch (ArithmeticException e) {
        return new Outcome.Bad(BAD_VALUE, "a whole number");
      }
    }
  }

  /** True when the number is above a limit. */
  record Above(BigDecimal limit) implements Conversion {
    @Override
    public Outcome convert(String cell) {
      BigDecimal number = Numbers.parse(cell);
      return number == null
          ? new Outcome.Bad(BAD_VALUE, "a finite number")
          : new Outcome.Value(BooleanNode.valueOf(number.compareTo(limit) > 0));
    }
  }

  /** The label of the bucket into which the number falls. */
  record Bucket(Buckets buckets) implements Conversion {
    @Override
    public Outcome convert(String cell) {
      BigDecimal number = Numbers.parse(cell);
      return number == null
          ? new Outcome.Bad(BAD_VALUE, "a finite number")
          : new Outcome.Value(TextNode.valueOf(buckets.label(number)));
    }
  }

  /** Words of the file into words of the contract, or into leaving the row out. */
  record Words(Map<String, Outcome> outcomes) implements Conversion {
    @Override
    public Outcome convert(String cell) {
      Outcome outcome = outcomes.get(cell);
      return outcome != null
          ? outcome
          : new Outcome.Bad(BAD_VALUE, "one of " + String.join(", ", outcomes.keySet()));
    }
  }

  /** Several values in one cell. */
  record Split(String separator) implements Conversion {
    @Override
    public Outcome convert(String cell) {
      ArrayNode list = JsonNodeFactory.instance.arrayNode();
      for (String part : cell.split(Pattern.quote(separator), -1)) {
        if (!part.isBlank()) {
          list.add(part.strip());
        }
      }
      return new Outcome.Value(list);
    }
  }

  /** A time in the format of the file, as ISO-8601 in UTC. */
  record Time(TimeFormat format) implements Conversion {
    @Override
    public Outcome convert(String cell) {
      return format.convert(cell);
    }
  }
}
