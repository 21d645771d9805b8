/** The metastore for Java programs: keys, transactions, sessions, locks, elections and watches. */
@NullMarked
package io.stele.client.metastore;

import org.jspecify.annotations.NullMarked;
