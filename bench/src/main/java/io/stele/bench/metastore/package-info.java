/**
 * The metastore beside etcd: members of both sides run as processes of their own on this machine,
 * and are asked the same things in turns.
 */
@NullMarked
package io.stele.bench.metastore;

import org.jspecify.annotations.NullMarked;
