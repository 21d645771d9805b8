/** Datasets over HTTP: lookups, status and health for clients, and the way from node to node. */
@NullMarked
package io.stele.gateway.http;

import org.jspecify.annotations.NullMarked;
