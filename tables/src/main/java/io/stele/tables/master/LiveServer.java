package io.stele.tables.master;

/**
 * A tablet server whose session lives.
 *
 * @param run its name for ever: no other process, and no later start of this one, has the same. Its
 *     log and its fragments are in directories of this name
 * @param address {@code HOST:PORT} as clients and other servers reach it
 */
public record LiveServer(String run, String address) {}
