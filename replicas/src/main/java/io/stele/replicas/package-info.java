/**
 * Replicated tables: each partition is on several servers, any of which takes writes, and on local
 * disks alone.
 */
@NullMarked
package io.stele.replicas;

import org.jspecify.annotations.NullMarked;
