/**
 * What people and scripts look at: the read model of the output topics, the HTTP API over it and
 * the page. Composed by the command line; may import {@code pane}, {@code stats}, {@code ops} and
 * {@code alert} (what watches for missing data) of this module, the schemas, Javalin, commonmark
 * and the plain Kafka consumer.
 */
@NullMarked
package io.servedrift.monitors.page;

import org.jspecify.annotations.NullMarked;
