package io.servedrift.monitors.ops;

/**
 * How many findings are open.
 *
 * @param severity page, ticket or info
 */
public record OpenFindings(String deployment, String severity, long count) {}
