/**
 * The serving node as a whole: takes calls, hands their images to the scheduler, keeps the
 * configuration in force with its fingerprint, and publishes what happens. Called by {@code cli};
 * its HTTP side is {@code node.http}. May import every package of the module but {@code cli}.
 */
@NullMarked
package io.servedrift.serving.node;

import org.jspecify.annotations.NullMarked;
