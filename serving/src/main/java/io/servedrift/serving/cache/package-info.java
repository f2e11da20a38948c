/**
 * The conditioning cache: least recently used, bounded by bytes, over values that hold memory of a
 * device. Called by the engine's stepping thread and by the node's admin endpoints; plain Java,
 * imports nothing of ours.
 */
@NullMarked
package io.servedrift.serving.cache;

import org.jspecify.annotations.NullMarked;
