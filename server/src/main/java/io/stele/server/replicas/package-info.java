/**
 * A server's part in replicated tables: what it says and hears in the metastore, and how it goes on
 * without it.
 */
@NullMarked
package io.stele.server.replicas;

import org.jspecify.annotations.NullMarked;
