/**
 * Clients as programs: YCSB's workloads, probes of a cluster, and the loop that reads requests from
 * standard input and runs them on any store.
 *
 * <p>Both sides of a benchmark run this same source. A peer's client may need an older Java and a
 * class path of its own, so it is compiled again for that: it uses the JDK alone, as of Java 17.
 */
@NullMarked
package io.stele.bench.driver;

import org.jspecify.annotations.NullMarked;
