/**
 * A Kafka broker inside this JVM: what {@code run --embedded}, {@code demo} and the integration
 * tests of every module start. Called by the command line and by tests. May import Kafka's server
 * classes (optional dependencies of this module) and nothing of ours.
 */
@NullMarked
package io.servedrift.ingest.embedded;

import org.jspecify.annotations.NullMarked;
