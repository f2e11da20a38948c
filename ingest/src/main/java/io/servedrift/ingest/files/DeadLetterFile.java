package io.servedrift.ingest.files;

import io.servedrift.schemas.EventJson;
import io.servedrift.schemas.avro.DeadLetter;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;

/** Dead letters as NDJSON, added at the end of a file. Not thread-safe. */
public final class DeadLetterFile implements Consumer<DeadLetter>, Closeable {
  private final Path path;
  private final BufferedWriter writer;

  /**
   * Opens the file, creating it when there is none.
   *
   * @throws IOException when it cannot be written
   */
  public DeadLetterFile(Path path) throws IOException {
    this.path = path;
    this.writer =
        Files.newBufferedWriter(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /**
   * Writes one letter.
   *
   * @throws UncheckedIOException when the letter cannot be written: losing it is no option
   */
  @Override
  public void accept(DeadLetter letter) {
    try {
      writer.write(EventJson.write(letter));
      writer.write('\n');
    } catch (IOException e) {
      throw new UncheckedIOException("dead letters cannot be written to " + path, e);
    }
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }
}
