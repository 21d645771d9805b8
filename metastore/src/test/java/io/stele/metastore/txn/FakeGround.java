package io.stele.metastore.txn;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.SteleException;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Command;
import io.stele.metastore.command.KeyValue;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.ReadSet;
import io.stele.metastore.key.KeyRange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A log whose entries a test applies by hand, and a state with all versions of all keys. */
final class FakeGround implements TransactionGround {
  final Deque<Proposal> proposals = new ArrayDeque<>();
  final Set<Long> sessions = new HashSet<>();
  final Map<Long, Answer> answers = new HashMap<>();
  boolean leads = true;
  boolean validates = true; // false to show what the locks alone find
  long compacted;
  int barriers;
  @Nullable TransactionTable table;
  @Nullable SteleException refuse;
  private long revision = 1;
  private final NavigableMap<Bytes, NavigableMap<Long, Optional<Bytes>>> keys = new TreeMap<>();

  record Proposal(Command.Transact command, CompletableFuture<Answer> answer) {}

  /** A write from elsewhere: at once. */
  long put(String key, @Nullable String value) {
    revision++;
    set(Bytes.utf8(key), Optional.ofNullable(value).map(Bytes::utf8));
    told(List.of(Bytes.utf8(key)));
    return revision;
  }

  private void set(Bytes key, Optional<Bytes> value) {
    keys.computeIfAbsent(key, k -> new TreeMap<>()).put(revision, value);
  }

  private void told(List<Bytes> changed) {
    if (table != null) {
      table.wrote(revision, changed);
    }
  }

  Optional<String> get(String key) {
    return valueAt(Bytes.utf8(key), revision).map(Bytes::toUtf8);
  }

  private Optional<Bytes> valueAt(Bytes key, long at) {
    var versions = keys.get(key);
    var version = versions == null ? null : versions.floorEntry(at);
    return version == null ? Optional.empty() : version.getValue();
  }

  /** Applies the oldest proposal. */
  void applyNext() {
    Proposal proposal = proposals.removeFirst();
    ReadSet reads = proposal.command().transaction().reads().orElseThrow();
    if (validates && reads.ranges().stream().anyMatch(r -> changedAfter(r, reads.revision()))) {
      proposal.answer().completeExceptionally(new ConflictException("read set changed"));
      return;
    }
    List<Bytes> changed = new ArrayList<>();
    revision++;
    for (Operation operation : proposal.command().transaction().then()) {
      if (operation instanceof Operation.Put put) {
        set(put.key(), Optional.of(put.value()));
        changed.add(put.key());
      } else if (operation instanceof Operation.Delete delete) {
        for (Bytes key : List.copyOf(keys.keySet())) {
          if (delete.range().contains(key)) {
            set(key, Optional.empty());
            changed.add(key);
          }
        }
      }
    }
    Answer answer = new Answer.Transacted(true, revision, List.of());
    answers.put(proposal.command().origin().sequence(), answer);
    told(changed);
    proposal.answer().complete(answer);
  }

  @Override
  public CompletableFuture<Void> readBarrier() {
    barriers++;
    return leads
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.failedFuture(new NotServingException("does not lead"));
  }

  @Override
  public CompletableFuture<Answer> propose(Command command) {
    if (refuse != null) {
      return CompletableFuture.failedFuture(refuse);
    }
    Proposal proposal = new Proposal((Command.Transact) command, new CompletableFuture<>());
    proposals.addLast(proposal);
    return proposal.answer();
  }

  @Override
  public long revision() {
    return revision;
  }

  @Override
  public Found read(String principal, Read read, long at) {
    if (at < compacted) {
      throw new ConflictException("compacted");
    }
    List<KeyValue> found = new ArrayList<>();
    for (Bytes key : keys.keySet()) {
      if (read.range().contains(key)) {
        valueAt(key, at).ifPresent(value -> found.add(new KeyValue(key, value, at, at, 1, 0)));
      }
    }
    boolean more = read.limit() > 0 && found.size() > read.limit();
    return new Found(more ? found.subList(0, read.limit()) : found, more, found.size());
  }

  @Override
  public boolean changedAfter(KeyRange range, long after) {
    return keys.entrySet().stream()
        .anyMatch(e -> range.contains(e.getKey()) && e.getValue().lastKey() > after);
  }

  @Override
  public boolean sessionLives(long session) {
    return sessions.contains(session);
  }

  @Override
  public Optional<Answer> answered(Origin origin) {
    return Optional.ofNullable(answers.get(origin.sequence()));
  }
}
