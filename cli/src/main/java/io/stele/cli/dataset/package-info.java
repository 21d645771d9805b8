/** {@code stele dataset}: lookups, versions, and making them. */
@NullMarked
package io.stele.cli.dataset;

import org.jspecify.annotations.NullMarked;
