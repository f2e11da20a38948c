package io.servedrift.monitors.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import org.slf4j.LoggerFactory;

/** Sets the logs of the process; the layout of a text line is in {@code logback.xml}. */
final class Logging {

  private static final String APPENDER = "stderr";

  private Logging() {}

  /** Our own loggers at {@code level}; those of libraries stay as set, or are as quiet as ours. */
  static void level(String level) {
    Level own = Level.toLevel(level);
    logger("io.servedrift").setLevel(own);
    if (own == Level.ERROR) {
      logger(org.slf4j.Logger.ROOT_LOGGER_NAME).setLevel(Level.ERROR);
    }
  }

  /** One JSON object per line in place of one line of text. */
  static void useJson() {
    JsonLogEncoder encoder = new JsonLogEncoder();
    encoder.setContext((LoggerContext) LoggerFactory.getILoggerFactory());
    encoder.start();
    if (logger(org.slf4j.Logger.ROOT_LOGGER_NAME).getAppender(APPENDER)
        instanceof ConsoleAppender<ILoggingEvent> appender) {
      appender.stop();
      appender.setEncoder(encoder);
      appender.start();
    }
  }

  private static Logger logger(String name) {
    return (Logger) LoggerFactory.getLogger(name);
  }
}
