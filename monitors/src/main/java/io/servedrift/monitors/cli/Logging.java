package io.servedrift.monitors.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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

  /** Into a file, and nothing to stderr: where a story is told there, a log would spoil it. */
  static void toFile(Path file) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    PatternLayoutEncoder layout = new PatternLayoutEncoder();
    layout.setContext(context);
    layout.setCharset(StandardCharsets.UTF_8);
    layout.setPattern("%d{yyyy-MM-dd'T'HH:mm:ss.SSSX, UTC} %-5level %logger{0} - %msg %kvp%n%ex");
    layout.start();
    FileAppender<ILoggingEvent> appender = new FileAppender<>();
    appender.setContext(context);
    appender.setName("file");
    appender.setFile(file.toString());
    appender.setEncoder(layout);
    appender.start();
    Logger root = logger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.addAppender(appender);
    root.detachAppender(APPENDER);
  }

  private static Logger logger(String name) {
    return (Logger) LoggerFactory.getLogger(name);
  }
}
