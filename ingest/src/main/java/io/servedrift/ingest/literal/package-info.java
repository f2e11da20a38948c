/**
 * Python's way to print values ({@code repr}), read as JSON: runtimes log their arguments and
 * results in it. Called by {@code adapters} and {@code capture}. May import Jackson only.
 */
@NullMarked
package io.servedrift.ingest.literal;

import org.jspecify.annotations.NullMarked;
