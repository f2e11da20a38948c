package io.servedrift.serving.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/** Sets the logs of the process; their layout is in {@code logback.xml}. */
final class Logging {

  private Logging() {}

  /** Our own loggers at this level; those of libraries stay as set. */
  static void level(String word) {
    ((Logger) LoggerFactory.getLogger("io.servedrift")).setLevel(Level.toLevel(word));
  }
}
