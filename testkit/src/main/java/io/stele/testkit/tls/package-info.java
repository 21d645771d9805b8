/** Certificates for tests: good ones, and those that must be refused. */
@NullMarked
package io.stele.testkit.tls;

import org.jspecify.annotations.NullMarked;
