package io.servedrift.monitors.gate.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.gate.Answer;
import io.servedrift.monitors.gate.Evidence;
import io.servedrift.monitors.gate.Modality;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Outputs of both sides next to each other for a human, who is not told which is which: the page
 * holds the outputs themselves, so that no file name gives a side away, and the key is a file
 * apart. Equal outputs are left out and counted.
 *
 * @param page the sheet
 * @param key which side was left, pair by pair
 */
record BlindedSheet(String page, ObjectNode key) {
  /** Pairs on a sheet. */
  static final int MOST_PAIRS = 24;

  private static final String PROGRAM = "ab.js";

  /**
   * Draws the sheet; empty when no pair of different outputs was kept.
   *
   * @param prompts texts by their index; what is missing is not shown
   * @throws IOException when an output or a part of the page cannot be read
   */
  static Optional<BlindedSheet> of(Evidence evidence, List<String> prompts, KeptOutputs outputs)
      throws IOException {
    OutputPair.Drawn drawn = OutputPair.draw(evidence, MOST_PAIRS, evidence.settings().seed());
    ObjectNode key = JsonNodeFactory.instance.objectNode();
    key.put("schema_version", GateDocument.SCHEMA_VERSION)
        .put("run_id", evidence.settings().runId())
        .put("identical_left_out", drawn.identical());
    ArrayNode pairs = key.putArray("pairs");
    Html main = new Html();
    for (OutputPair pair : drawn.pairs()) {
      Optional<String> left = shown(evidence.modality(), pair.left(), outputs);
      Optional<String> right = shown(evidence.modality(), pair.right(), outputs);
      if (left.isPresent() && right.isPresent()) {
        int number = pairs.size() + 1;
        pairs
            .addObject()
            .put("pair", number)
            .put("prompt", pair.left().prompt().index())
            .put("seed", pair.left().prompt().seed())
            .put("left", pair.left().arm().side().label())
            .put("right", pair.right().arm().side().label());
        int index = pair.left().prompt().index();
        String text = index < prompts.size() ? prompts.get(index) : "prompt " + index;
        pair(main, evidence.modality(), number, text, left.get(), right.get());
      }
    }
    return pairs.isEmpty()
        ? Optional.empty()
        : Optional.of(new BlindedSheet(page(evidence, main), key));
  }

  private static Optional<String> shown(Modality modality, Answer answer, KeptOutputs outputs)
      throws IOException {
    String file = OutputPair.file(answer);
    if (file == null) {
      return Optional.empty();
    }
    return modality == Modality.IMAGE ? outputs.image(file) : outputs.text(file);
  }

  private static String page(Evidence evidence, Html pairs) throws IOException {
    Html intro = new Html();
    intro.text("h1", "", "Which one is better?");
    intro.text(
        "p",
        "",
        "Both outputs of a pair were made for the same prompt and seed. Which side made which is"
            + " not told here, and left and right change at random. Judge each pair by itself; the"
            + " key lies in "
            + GateReport.SHEET_KEY
            + ", to be opened afterwards.");
    Html end = new Html();
    end.text("h2", "", "Answers");
    end.text("p", "soft small", "Fills while you choose; copy it when you are done.");
    end.empty(
        "textarea",
        List.of(
            "id", "answers",
            "readonly", "readonly",
            "aria-label", "answers",
            "data-run", evidence.settings().runId()));
    return GatePage.page(
        "Outputs side by side",
        GatePage.style(),
        program(),
        "<main>" + intro + pairs + end + "</main>");
  }

  private static void pair(
      Html page, Modality modality, int number, String prompt, String left, String right) {
    page.element(
        "section",
        "pair",
        section -> {
          section.text("h3", "", "Pair " + number);
          section.text("p", "", prompt);
          section.element(
              "div",
              "sides",
              sides -> {
                side(sides, modality, "left", left);
                side(sides, modality, "right", right);
              });
          section.element(
              "p",
              "choice",
              choices -> {
                for (String choice : List.of("left", "no difference", "right", "both bad")) {
                  choices.element(
                      "label",
                      "",
                      label ->
                          label
                              .empty(
                                  "input",
                                  List.of(
                                      "type", "radio",
                                      "name", Integer.toString(number),
                                      "value", choice.replace(' ', '_')))
                              .text(" " + choice));
                }
              });
        });
  }

  private static void side(Html sides, Modality modality, String name, String output) {
    sides.element(
        "div",
        "side",
        side -> {
          side.text("p", "soft small", name.toUpperCase(Locale.ROOT));
          if (modality == Modality.IMAGE) {
            side.empty("img", List.of("alt", "output on the " + name, "src", output));
          } else {
            side.text("pre", "", output);
          }
        });
  }

  private static String program() throws IOException {
    try (InputStream in = BlindedSheet.class.getResourceAsStream(PROGRAM)) {
      if (in == null) {
        throw new IOException(PROGRAM + ": not on the class path");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
