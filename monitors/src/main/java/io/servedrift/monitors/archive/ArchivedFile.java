package io.servedrift.monitors.archive;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One finished file of an archive, as its manifest lists it. Immutable.
 *
 * @param name file name within the folder
 * @param role which topic
 * @param partition of the topic
 * @param fromOffset first offset it stands for
 * @param toOffset end, not included; an offset in between may hold no record (transaction markers,
 *     compaction)
 * @param records records in it
 * @param eventsInRange records other than ticks whose time lies in the range of the archive
 * @param firstAt smallest record timestamp, null without records
 * @param lastAt largest record timestamp, null without records
 * @param bytes size of the file
 * @param sha256 of the file, hex
 */
public record ArchivedFile(
    String name,
    ArchiveRole role,
    int partition,
    long fromOffset,
    long toOffset,
    long records,
    long eventsInRange,
    @Nullable Instant firstAt,
    @Nullable Instant lastAt,
    long bytes,
    String sha256) {}
