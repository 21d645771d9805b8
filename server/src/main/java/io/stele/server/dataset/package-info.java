/** A node of datasets in a server: what it shares with other nodes by the metastore. */
@NullMarked
package io.stele.server.dataset;

import org.jspecify.annotations.NullMarked;
