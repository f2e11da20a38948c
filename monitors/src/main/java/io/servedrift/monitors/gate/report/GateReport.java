package io.servedrift.monitors.gate.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.gate.Evidence;
import io.servedrift.monitors.gate.GateResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;

/** All forms of a gate's result. Thread-safe. */
public final class GateReport {
  /** The document for programs. */
  public static final String DOCUMENT = "gate.json";

  /** The page for people. */
  public static final String PAGE = "gate.html";

  /** For readers of test reports. */
  public static final String JUNIT = "gate.xml";

  /** For a pull request. */
  public static final String MARKDOWN = "gate.md";

  /** Outputs side by side, unnamed; only where outputs were kept and differ. */
  public static final String SHEET = "ab.html";

  /** What the sheet does not say. */
  public static final String SHEET_KEY = "ab-key.json";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final GateResult result;
  private final Evidence evidence;
  private final List<String> prompts;

  private GateReport(GateResult result, Evidence evidence, List<String> prompts) {
    this.result = result;
    this.evidence = evidence;
    this.prompts = List.copyOf(prompts);
  }

  /**
   * The report of a result.
   *
   * @param evidence what it was judged on, for the sheet
   * @param prompts texts by their index, for the sheet; may be empty
   */
  public static GateReport of(GateResult result, Evidence evidence, List<String> prompts) {
    return new GateReport(result, evidence, prompts);
  }

  /** The document. */
  public ObjectNode document() {
    return GateDocument.of(result);
  }

  /** The JUnit file. */
  public String junit() {
    return JunitFile.of(result);
  }

  /** The text for a pull request. */
  public String markdown() {
    return MarkdownText.of(result);
  }

  /**
   * Writes all forms into the run's folder, which holds the outputs that were kept. Each file
   * appears whole or not at all; an older one is replaced, and an older sheet is removed when there
   * is none now.
   *
   * @throws IOException when the folder cannot be written
   */
  public void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    Optional<BlindedSheet> sheet = BlindedSheet.of(evidence, prompts, new KeptOutputs(folder));
    if (sheet.isPresent()) {
      put(folder.resolve(SHEET), sheet.get().page());
      put(folder.resolve(SHEET_KEY), pretty(sheet.get().key()));
    } else {
      Files.deleteIfExists(folder.resolve(SHEET));
      Files.deleteIfExists(folder.resolve(SHEET_KEY));
    }
    put(folder.resolve(DOCUMENT), pretty(document()));
    put(folder.resolve(PAGE), GatePage.of(result, sheet.isPresent()));
    put(folder.resolve(JUNIT), junit());
    put(folder.resolve(MARKDOWN), markdown());
  }

  private static String pretty(ObjectNode document) throws IOException {
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(document) + "\n";
  }

  private static void put(Path file, String text) throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + ".part");
    Files.writeString(unfinished, text, StandardCharsets.UTF_8);
    Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
  }
}
