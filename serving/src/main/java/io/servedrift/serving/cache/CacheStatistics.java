package io.servedrift.serving.cache;

/**
 * What a cache holds now and has done since it was made. {@code hits + misses + bypasses} is the
 * number of values asked for.
 *
 * @param entries entries held
 * @param bytes their size
 * @param capacityBytes the most bytes it may hold; 0 means that it keeps nothing
 * @param hits look-ups that found their entry
 * @param misses look-ups that did not
 * @param bypasses values used without asking the cache
 * @param evictions entries dropped to make room or by {@link ConditioningCache#evict}
 * @param flushed entries dropped by {@link ConditioningCache#flush}
 * @param oversized values not kept because one alone exceeds the capacity
 */
public record CacheStatistics(
    int entries,
    long bytes,
    long capacityBytes,
    long hits,
    long misses,
    long bypasses,
    long evictions,
    long flushed,
    long oversized) {}
