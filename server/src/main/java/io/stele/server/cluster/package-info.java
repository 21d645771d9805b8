/**
 * A node of a cluster of tablet servers: what it says and hears in the metastore, how it reaches
 * META wherever that is, and how it begins and ends its parts with their sessions.
 */
@NullMarked
package io.stele.server.cluster;

import org.jspecify.annotations.NullMarked;
