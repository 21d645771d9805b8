/** The commands for tables: {@code stele table}, {@code stele meta}, and those for rows. */
@NullMarked
package io.stele.cli.table;

import org.jspecify.annotations.NullMarked;
