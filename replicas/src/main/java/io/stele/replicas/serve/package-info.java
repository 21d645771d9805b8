/** A server of replicated tables: writes, reads, whole tables. */
@NullMarked
package io.stele.replicas.serve;

import org.jspecify.annotations.NullMarked;
