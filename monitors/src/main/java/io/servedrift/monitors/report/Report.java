package io.servedrift.monitors.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A finished report: a JSON document and an HTML page that shows it. Thread-safe. */
public final class Report {
  /** Name of the page in the folder. */
  public static final String PAGE = "report.html";

  /** Name of the document in the folder. */
  public static final String DOCUMENT = "report.json";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final ObjectNode document;

  private Report(ObjectNode document) {
    this.document = document;
  }

  /** The report of what was recorded. */
  public static Report of(RunRecorder run, RunFacts facts) {
    return new Report(ReportDocument.of(run, facts));
  }

  /** The document; a copy. */
  public ObjectNode document() {
    return document.deepCopy();
  }

  /**
   * Writes both files into a folder, which is made when it is missing. Each appears whole or not at
   * all; an older one is replaced.
   *
   * @throws IOException when the folder cannot be written
   */
  public void write(Path folder) throws IOException {
    String page = ReportPage.of(document);
    Files.createDirectories(folder);
    put(
        folder.resolve(DOCUMENT),
        JSON.writerWithDefaultPrettyPrinter().writeValueAsString(document) + "\n");
    put(folder.resolve(PAGE), page);
  }

  private static void put(Path file, String text) throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + ".part");
    Files.writeString(unfinished, text, StandardCharsets.UTF_8);
    Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
  }
}
