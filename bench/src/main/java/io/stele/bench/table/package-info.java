/**
 * Tablet tables beside HBase: a server of each side runs as a process of its own on this machine,
 * asked by its own client library in another process, in turns.
 */
@NullMarked
package io.stele.bench.table;

import org.jspecify.annotations.NullMarked;
