package io.servedrift.ingest.files;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The rows of one file, one after the other. */
interface RowSource {
  /** The next row, or null at the end. */
  @Nullable FileRow next() throws IOException;
}
