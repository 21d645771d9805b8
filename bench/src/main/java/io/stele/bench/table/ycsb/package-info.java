/**
 * YCSB's workloads: which records are asked for, how often and in what mix; and a program that runs
 * them on any store, told what to do over its standard input.
 *
 * <p>Both sides of the benchmark run this same source. A peer's client may need an older Java and a
 * class path of its own, so it is compiled again for that: it uses the JDK alone, as of Java 17.
 */
@NullMarked
package io.stele.bench.table.ycsb;

import org.jspecify.annotations.NullMarked;
