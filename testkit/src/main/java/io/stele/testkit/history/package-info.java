/**
 * What clients saw of a store under test, and checkers that say whether a correct store could have
 * shown it to them. Nothing in here knows the store: a test records, then asks.
 *
 * <table>
 * <caption>The checkers</caption>
 * <tr><td>{@link io.stele.testkit.history.LinearizabilityChecker}</td><td>single calls, key by key</td></tr>
 * <tr><td>{@link io.stele.testkit.history.RevisionReplayChecker}</td><td>transactions: strict serializability</td></tr>
 * <tr><td>{@link io.stele.testkit.history.LockChecker}</td><td>who believed to hold what, and the tokens</td></tr>
 * <tr><td>{@link io.stele.testkit.history.WatchChecker}</td><td>streams of events</td></tr>
 * </table>
 */
@NullMarked
package io.stele.testkit.history;

import org.jspecify.annotations.NullMarked;
