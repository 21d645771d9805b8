/** Shards of a dataset's version: which key is in which, how they are read in, stored and read. */
@NullMarked
package io.stele.datasets.shard;

import org.jspecify.annotations.NullMarked;
