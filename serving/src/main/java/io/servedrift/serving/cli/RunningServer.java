package io.servedrift.serving.cli;

/** What a command started and closes in order when a signal comes. */
interface RunningServer extends AutoCloseable {

  /** Where it listens, as a URL. */
  String address();

  @Override
  void close();
}
