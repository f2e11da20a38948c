package io.servedrift.monitors.cli;

import io.servedrift.monitors.demo.DemoFault;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the command line says of the demonstration.
 *
 * @param seed of the prompts and clients
 * @param fault of the second act
 * @param precision of the nodes, by the word of the node's {@code --precision}
 * @param exitAfterVerdict whether the verdict, and the test of it, is the end
 * @param test whether a verdict is followed by the test that decides it
 * @param duration when the end is at the latest, null for a signal
 * @param policy file of the policy that is in force
 * @param pane length of a pane
 */
record DemoOptions(
    long seed,
    DemoFault fault,
    String precision,
    boolean exitAfterVerdict,
    boolean test,
    @Nullable Duration duration,
    Path policy,
    Duration pane) {}
