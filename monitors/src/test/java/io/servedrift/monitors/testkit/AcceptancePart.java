package io.servedrift.monitors.testkit;

import java.util.function.Consumer;

/** A part of the acceptance table that can be run by itself. */
interface AcceptancePart {
  /** Name on the command line and in the table. */
  String name();

  /** Measures and gives the lines as they are done. */
  void run(AcceptanceSize size, Consumer<AcceptanceRow> table);
}
