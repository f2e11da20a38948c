package io.servedrift.ingest.follow;

/**
 * How far a file was read.
 *
 * @param key what the file system calls the file, whatever its name; empty where it has no keys
 * @param offset bytes that need not be read again: the start of a line
 * @param headLength bytes at the start of the file by which its content is recognised
 * @param headSha256 hex digest of them
 */
record FilePlace(String key, long offset, int headLength, String headSha256) {}
