/** Certificates and keys from files, and connections that are secured by them. */
@NullMarked
package io.stele.base.tls;

import org.jspecify.annotations.NullMarked;
