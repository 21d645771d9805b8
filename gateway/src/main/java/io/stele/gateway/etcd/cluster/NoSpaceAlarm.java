package io.stele.gateway.etcd.cluster;

import io.stele.base.bytes.Bytes;
import io.stele.gateway.etcd.call.MemberIds;
import io.stele.metastore.Alarms;
import io.stele.metastore.Consistency;
import io.stele.metastore.Metastore;
import io.stele.metastore.RangeRead;
import io.stele.metastore.command.Comparison;
import io.stele.metastore.command.Comparison.Field;
import io.stele.metastore.command.Comparison.Relation;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.Transaction;
import io.stele.metastore.key.KeyRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The alarm NOSPACE as etcd's clients see it: raised for some members, and over when it is disarmed
 * for each of them.
 *
 * <pre>
 *   value   entry (LF entry)*
 *   entry   the id of a member, as the leader writes it when the quota is exceeded
 *           '#' and a number: a member as a client named it, in decimal without a sign
 * </pre>
 */
final class NoSpaceAlarm {
  private static final KeyRange KEY = KeyRange.of(Alarms.NO_SPACE);
  private static final String SEPARATOR = "\n";
  private static final String NUMBER = "#";

  /** On whose behalf alarms are raised and disarmed; where rights are set it must have them. */
  private static final String PRINCIPAL = "stele";

  private final Metastore metastore;

  NoSpaceAlarm(Metastore metastore) {
    this.metastore = metastore;
  }

  /** The key as it was read; without entries if there is no alarm. */
  private record Raised(List<String> entries, long modified) {
    static Raised of(Optional<KeyValue> stored) {
      return stored
          .map(kv -> new Raised(List.of(kv.value().toUtf8().split(SEPARATOR)), kv.modified()))
          .orElse(new Raised(List.of(), 0));
    }

    Optional<String> entryOf(long member) {
      return entries.stream().filter(entry -> number(entry) == member).findFirst();
    }
  }

  private static long number(String entry) {
    return entry.startsWith(NUMBER)
        ? Long.parseUnsignedLong(entry.substring(NUMBER.length()))
        : MemberIds.of(entry);
  }

  private CompletableFuture<Raised> read() {
    return metastore
        .read(PRINCIPAL, RangeRead.of(KEY), Consistency.LINEARIZABLE)
        .thenApply(found -> Raised.of(found.keys().stream().findFirst()));
  }

  /** The members for which it is raised. */
  CompletableFuture<List<Long>> members() {
    return read().thenApply(raised -> raised.entries().stream().map(NoSpaceAlarm::number).toList());
  }

  /** Raises it for a member, unless it is. */
  CompletableFuture<Void> raise(long member) {
    return read()
        .thenCompose(
            raised -> {
              if (raised.entryOf(member).isPresent()) {
                return CompletableFuture.completedFuture(null);
              }
              List<String> more = new ArrayList<>(raised.entries());
              more.add(NUMBER + Long.toUnsignedString(member));
              return write(raised, more)
                  .thenCompose(
                      done -> done ? CompletableFuture.completedFuture(null) : raise(member));
            });
  }

  /** Disarms it for a member. Returns whether it was raised for that one. */
  CompletableFuture<Boolean> disarm(long member) {
    return read()
        .thenCompose(
            raised -> {
              Optional<String> entry = raised.entryOf(member);
              if (entry.isEmpty()) {
                return CompletableFuture.completedFuture(false);
              }
              List<String> left = new ArrayList<>(raised.entries());
              left.remove(entry.get());
              return write(raised, left)
                  .thenCompose(
                      done -> done ? CompletableFuture.completedFuture(true) : disarm(member));
            });
  }

  /** Returns false if somebody else changed it meanwhile. */
  private CompletableFuture<Boolean> write(Raised before, List<String> after) {
    Operation change =
        after.isEmpty()
            ? new Operation.Delete(KEY, false)
            : new Operation.Put(
                Alarms.NO_SPACE, Bytes.utf8(String.join(SEPARATOR, after)), 0, false);
    return metastore
        .transact(
            Origin.of(PRINCIPAL),
            new Transaction(
                List.of(
                    new Comparison.Property(
                        KEY, Field.MODIFIED, Relation.EQUAL, before.modified())),
                List.of(change),
                List.of(),
                Optional.empty()))
        .thenApply(answer -> answer.succeeded());
  }
}
