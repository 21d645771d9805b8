/** Sessions of clients, and the answers that are kept for requests that come again. */
@NullMarked
package io.stele.metastore.session;

import org.jspecify.annotations.NullMarked;
