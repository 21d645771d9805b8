/** The names of Bigtable's resources, and which of Stele's they mean. */
@NullMarked
package io.stele.gateway.bigtable.name;

import org.jspecify.annotations.NullMarked;
