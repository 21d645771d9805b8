/** Tables as a whole, and backups of them, by Bigtable's API. */
@NullMarked
package io.stele.gateway.bigtable.admin;

import org.jspecify.annotations.NullMarked;
