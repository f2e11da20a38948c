package io.servedrift.monitors.testkit;

/**
 * A class of prompts: how often it is asked for, and by how many different prompts. Few popular
 * prompts mean many hits, so that the class confounds hits with whatever else depends on it.
 *
 * @param name value of {@code workload.prompt_class}
 * @param share of the requests, relative to the other classes
 * @param prompts number of prompts that come back
 * @param popularity exponent of their Zipf law; larger means fewer popular ones
 * @param fresh share of requests whose prompt never comes back
 * @param steps denoising steps
 * @param entryBytes bytes of a cached conditioning
 * @param clip mean CLIP score
 * @param swing how much the share moves over the day, as the amplitude of its logarithm
 * @param constrained share of requests decoded under a constraint
 */
public record PromptClass(
    String name,
    double share,
    int prompts,
    double popularity,
    double fresh,
    int steps,
    long entryBytes,
    double clip,
    double swing,
    double constrained) {}
