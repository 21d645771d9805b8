/**
 * The native gRPC interface: what clients ask a member of the metastore, and members each other.
 */
@NullMarked
package io.stele.gateway.nativeapi;

import org.jspecify.annotations.NullMarked;
