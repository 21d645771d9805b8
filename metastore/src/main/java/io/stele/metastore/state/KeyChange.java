package io.stele.metastore.state;

import io.stele.metastore.command.KeyValue;
import java.util.Optional;

/**
 * What a revision did to one key.
 *
 * @param now the key as the change left it; of a deleted one only key and revision are known
 * @param before the key before the change, if it existed, and was asked for
 */
public record KeyChange(boolean deleted, KeyValue now, Optional<KeyValue> before) {}
