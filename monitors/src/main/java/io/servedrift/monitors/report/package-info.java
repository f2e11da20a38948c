/**
 * The report of a run: what it keeps while panes, windows and findings pass by, the document that
 * holds all of it, and one HTML page around that document. Called by the command line; may import
 * {@code judge}, {@code policy}, {@code pane}, {@code stats} of this module, the schemas and
 * Jackson. It watches the judge and never changes what it is given.
 */
@NullMarked
package io.servedrift.monitors.report;

import org.jspecify.annotations.NullMarked;
