package io.servedrift.monitors.gate.run;

/**
 * An item that was asked, with what came of it.
 *
 * @param item what was asked
 * @param scheduledNanos when it should have been sent, as a reading of the timeline
 * @param sentNanos when it was sent
 * @param inFlight requests in flight when it was sent, itself included
 * @param reply what came back
 */
record Sent(Item item, long scheduledNanos, long sentNanos, int inFlight, Reply reply) {}
