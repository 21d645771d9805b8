/** A certificate authority in a directory, and the certificates that it signs. */
@NullMarked
package io.stele.certs;

import org.jspecify.annotations.NullMarked;
