/** etcd's keys: ranges, puts, deletions, transactions and compaction. */
@NullMarked
package io.stele.gateway.etcd.kv;

import org.jspecify.annotations.NullMarked;
