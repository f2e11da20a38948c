/**
 * Says why a metric moved: splits the difference between a window and its reference into what the
 * composition of the traffic explains and what got worse in like requests, charges both to causes,
 * and says so when the data cannot tell. Called by {@code judge}; pure functions of cell counts and
 * sums. May import {@code pane} and {@code stats}.
 */
@NullMarked
package io.servedrift.monitors.attribution;

import org.jspecify.annotations.NullMarked;
