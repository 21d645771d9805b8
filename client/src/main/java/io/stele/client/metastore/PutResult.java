package io.stele.client.metastore;

import java.util.Optional;

/**
 * A key was put.
 *
 * @param revision of the change
 * @param previous what was there before, if that was asked for and there was something
 */
public record PutResult(long revision, Optional<KeyValue> previous) {}
