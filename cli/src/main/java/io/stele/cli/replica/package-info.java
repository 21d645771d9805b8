/** Commands for the replicas of tables. */
@NullMarked
package io.stele.cli.replica;

import org.jspecify.annotations.NullMarked;
