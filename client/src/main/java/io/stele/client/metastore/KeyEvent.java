package io.stele.client.metastore;

import java.util.Optional;

/**
 * One key's change.
 *
 * @param now the key as the change left it; of a deleted one only key and revision are known
 * @param before the key before the change, if that was asked for and it existed
 */
public record KeyEvent(boolean deleted, KeyValue now, Optional<KeyValue> before) {}
