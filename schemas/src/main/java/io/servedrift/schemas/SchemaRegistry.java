package io.servedrift.schemas;

import java.io.IOException;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/** Looks up the schemas of payloads with registry framing. Implementations are thread-safe. */
public interface SchemaRegistry {
  /**
   * The schema that was registered under this id, or null when the registry does not know it.
   *
   * @throws IOException when the registry could not be asked
   */
  @Nullable Schema byId(int id) throws IOException;
}
