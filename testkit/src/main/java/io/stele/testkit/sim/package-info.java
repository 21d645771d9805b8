/**
 * What a simulation of several servers in one process is made of: hold points at which a schedule
 * stops threads, clocks that stop, jump and drift, files that die with their process, and many
 * seeds at once. It knows nothing of tables.
 */
@NullMarked
package io.stele.testkit.sim;

import org.jspecify.annotations.NullMarked;
