package io.stele.metastore.txn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.DeniedException;
import io.stele.base.error.ExhaustedException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.settings.ByteSize;
import io.stele.metastore.command.Answer;
import io.stele.metastore.command.Operation;
import io.stele.metastore.command.Origin;
import io.stele.metastore.command.ReadSet;
import io.stele.metastore.key.KeyRange;
import io.stele.metastore.txn.TransactionGround.Found;
import io.stele.metastore.txn.TransactionGround.Read;
import io.stele.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The quoted sentences are those of the design that the transactions follow. */
class TransactionTableTest {
  private final FakeGround ground = new FakeGround();
  private final ManualClock clock = new ManualClock();
  private final TransactionSettings settings =
      new TransactionSettings(Duration.ofSeconds(10), 4, 3, new ByteSize(100), 50);
  private final TransactionTable table =
      new TransactionTable(settings, clock, ground, Runnable::run);
  private long sequence;

  @BeforeEach
  void lead() {
    ground.table = table;
    ground.sessions.add(7L);
    table.leads(3);
  }

  /** No test may leave a lock behind: whatever is still open is given up here. */
  @AfterEach
  void nothingLeaks() {
    while (!ground.proposals.isEmpty()) {
      ground.applyNext();
    }
    table.follows();
    assertThat(table.size()).isZero();
    assertThat(table.lockCount()).isZero();
  }

  private String begin() {
    return table.begin("", 0).join().id();
  }

  private List<String> read(String id, String key) {
    return values(table.read("", id, new Read(KeyRange.of(Bytes.utf8(key)), 0, false, false)));
  }

  private List<String> readPrefix(String id, String prefix, int limit) {
    return values(
        table.read("", id, new Read(KeyRange.prefix(Bytes.utf8(prefix)), limit, false, false)));
  }

  private static List<String> values(CompletableFuture<Found> found) {
    return now(found).keys().stream().map(kv -> kv.value().toUtf8()).toList();
  }

  private static <T> T now(CompletableFuture<T> future) {
    assertThat(future).as("has an outcome").isDone();
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  private static Operation put(String key, String value) {
    return new Operation.Put(Bytes.utf8(key), Bytes.utf8(value), 0, false);
  }

  private static Operation delete(String prefix) {
    return new Operation.Delete(KeyRange.prefix(Bytes.utf8(prefix)), false);
  }

  private Origin origin() {
    sequence++;
    return new Origin("", 7, sequence, sequence);
  }

  private CompletableFuture<Answer.Transacted> commit(String id, Operation... writes) {
    return table.commit(origin(), id, List.of(), List.of(writes));
  }

  private Answer.Transacted committed(String id, Operation... writes) {
    CompletableFuture<Answer.Transacted> commit = commit(id, writes);
    ground.applyNext();
    return now(commit);
  }

  // ---- "Creating"

  /**
   * "First we generate a unique id for the transaction of the form [term]:[local_monotonic_id]."
   */
  @Test
  void idsAreTermAndNumber() {
    assertThat(begin()).isEqualTo("3:1");
    assertThat(begin()).isEqualTo("3:2");
    table.leads(5);
    assertThat(begin()).isEqualTo("5:1");
  }

  @Test
  void aTermThatIsToldTwiceDoesNotRepeatIds() {
    String first = begin();
    table.follows();
    table.leads(3);
    assertThat(begin()).isNotEqualTo(first);
  }

  /** "Then we acquire a linearizable read index." */
  @Test
  void beginsBehindABarrierAtTheNewestRevision() {
    long revision = ground.put("/a", "1");
    assertThat(table.begin("", 0).join().revision()).isEqualTo(revision);
    assertThat(ground.barriers).isEqualTo(1);
    ground.leads = false;
    assertThatThrownBy(() -> now(table.begin("", 0))).isInstanceOf(NotServingException.class);
  }

  @Test
  void whoLeadsNoLongerBeginsNone() {
    table.follows();
    assertThatThrownBy(() -> now(table.begin("", 0))).isInstanceOf(NotServingException.class);
  }

  /**
   * "if there are transaction entries in the TransactionManager from an earlier term, we delete
   * them."
   */
  @Test
  void earlierTermsAreCleanedUp() {
    String old = begin();
    read(old, "/a");
    table.leads(4);
    begin();
    assertThat(table.size()).isEqualTo(1);
    assertThat(table.lockCount()).isZero();
    assertThatThrownBy(() -> read(old, "/a"))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining(old);
  }

  @Test
  void ofAnUnknownSessionNoneIsBegun() {
    assertThatThrownBy(() -> now(table.begin("", 99)))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("99");
  }

  @Test
  void thereAreOnlySoManyAtATime() {
    for (int i = 0; i < settings.open(); i++) {
      begin();
    }
    assertThatThrownBy(this::begin).hasRootCauseInstanceOf(ExhaustedException.class);
  }

  // ---- "Performing a read"

  /** "Each read will acquire a temporary reader lock on the key range being read." */
  @Test
  void aReadHoldsItsRangeUntilTheEnd() {
    ground.put("/a", "1");
    String id = begin();
    assertThat(read(id, "/a")).containsExactly("1");
    assertThat(table.lockCount()).isEqualTo(1);
    table.abort("", id);
    assertThat(table.lockCount()).isZero();
  }

  /**
   * "If the recent_write_index is [...] greater than the current transaction's read_index [...]
   * stop."
   */
  @Test
  void aRangeWrittenSinceStopsTheReader() {
    String other = begin();
    String id = begin();
    read(other, "/a");
    ground.put("/a", "1");
    assertThatThrownBy(() -> read(id, "/a"))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining(id)
        .hasMessageContaining("/a");
    assertThatThrownBy(() -> read(id, "/b")).isInstanceOf(ConflictException.class);
  }

  /** "If the entry in the database has a higher sequence than your read_index we also cancel." */
  @Test
  void anEntryNewerThanTheRevisionStopsTheReader() {
    String id = begin();
    ground.put("/a", "1"); // nobody held the range: only the state knows
    assertThatThrownBy(() -> read(id, "/a")).isInstanceOf(ConflictException.class);
    assertThat(table.size()).isZero();
  }

  @Test
  void aKeyThatWasDeletedSinceStopsTheReader() {
    ground.put("/a", "1");
    String id = begin();
    ground.put("/a", null);
    assertThatThrownBy(() -> read(id, "/a")).isInstanceOf(ConflictException.class);
  }

  /** "Else, we return the value to the client": as it was at the revision. */
  @Test
  void otherKeysMayChange() {
    ground.put("/a", "1");
    ground.put("/b", "1");
    String id = begin();
    ground.put("/b", "2");
    assertThat(read(id, "/a")).containsExactly("1");
  }

  @Test
  void ofALimitedReadOnlyThePartAnsweredCounts() {
    ground.put("/d/1", "1");
    ground.put("/d/3", "3");
    ground.put("/d/5", "5");
    String id = begin();
    assertThat(readPrefix(id, "/d/", 2)).containsExactly("1", "3");
    ground.put("/d/4", "new");
    assertThat(committed(id, put("/x", "y")).succeeded()).isTrue();

    String second = begin();
    readPrefix(second, "/d/", 2);
    ground.put("/d/2", "in a gap of the answer");
    assertThatThrownBy(() -> now(commit(second, put("/x", "z"))))
        .isInstanceOf(ConflictException.class);
  }

  @Test
  void onlySoManyRangesAreRead() {
    String id = begin();
    for (int i = 0; i < settings.readRanges(); i++) {
      read(id, "/k" + i);
    }
    assertThat(read(id, "/k0")).as("a range it has already").isEmpty();
    assertThatThrownBy(() -> read(id, "/one-more"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("4");
  }

  @Test
  void aRevisionThatWasCompactedAwayIsAConflict() {
    String id = begin();
    ground.compacted = 100;
    assertThatThrownBy(() -> read(id, "/a")).isInstanceOf(ConflictException.class);
    assertThat(table.size()).isZero();
  }

  // ---- "Performing a write", "Committing"

  /** "Writes are only linearizable if the key was previously read in the same transaction." */
  @Test
  void blindWritesOfBothApplyAndTheLastWins() {
    String one = begin();
    String two = begin();
    committed(one, put("/a", "1"));
    committed(two, put("/a", "2"));
    assertThat(ground.get("/a")).contains("2");
  }

  @Test
  void anUpdateIsNeverLost() {
    ground.put("/n", "0");
    String one = begin();
    String two = begin();
    read(one, "/n");
    read(two, "/n");
    committed(one, put("/n", "1"));
    assertThatThrownBy(() -> now(commit(two, put("/n", "1"))))
        .isInstanceOf(ConflictException.class);
    assertThat(ground.proposals).as("not even proposed").isEmpty();
  }

  @Test
  void thereIsNoWriteSkew() {
    ground.put("/on-call/ann", "yes");
    ground.put("/on-call/bob", "yes");
    String one = begin();
    String two = begin();
    readPrefix(one, "/on-call/", 0);
    readPrefix(two, "/on-call/", 0);
    committed(one, put("/on-call/ann", "no"));
    assertThatThrownBy(() -> now(commit(two, put("/on-call/bob", "no"))))
        .isInstanceOf(ConflictException.class);
    assertThat(ground.get("/on-call/bob")).contains("yes");
  }

  @Test
  void thereAreNoPhantoms() {
    String id = begin();
    assertThat(readPrefix(id, "/d/", 0)).isEmpty();
    ground.put("/d/new", "1");
    assertThatThrownBy(() -> now(commit(id, put("/count", "0"))))
        .isInstanceOf(ConflictException.class);
  }

  /** "Check that no read keys were modified and de-ref all of them." */
  @Test
  void aCommitFreesWhatWasHeld() {
    String id = begin();
    read(id, "/a");
    read(id, "/b");
    committed(id, put("/a", "1"), put("/c", "1"));
    assertThat(table.lockCount()).isZero();
    assertThat(table.size()).isZero();
  }

  /** "loop back through the key locks and mark the dirty state of all of them." */
  @Test
  void aCommitMarksTheLocksOfOthers() {
    String reader = begin();
    readPrefix(reader, "/d/", 0);
    committed(begin(), put("/d/x", "1"));
    assertThatThrownBy(() -> readPrefix(reader, "/d/", 0)).isInstanceOf(ConflictException.class);
  }

  /** "Finally commit using the read index": the state is told what was read, gaps included. */
  @Test
  void theReadSetIsProposedWithTheWrites() {
    long revision = ground.put("/a", "1");
    String id = begin();
    read(id, "/a");
    readPrefix(id, "/d/", 0);
    var _ = commit(id, put("/b", "1"));
    assertThat(ground.proposals.getFirst().command().transaction().reads())
        .contains(
            new ReadSet(
                3,
                revision,
                List.of(KeyRange.of(Bytes.utf8("/a")), KeyRange.prefix(Bytes.utf8("/d/")))));
  }

  /** "write_lock: If true, another transaction is currently writing to this range." */
  @Test
  void whatAnotherIsWritingIsWaitedFor() {
    ground.validates = false; // so that only the locks keep them apart
    ground.put("/n", "0");
    String one = begin();
    String two = begin();
    String blind = begin();
    read(one, "/n");
    read(two, "/n");
    CompletableFuture<Answer.Transacted> first = commit(one, put("/n", "1"));
    CompletableFuture<Answer.Transacted> second = commit(two, put("/n", "2"));
    CompletableFuture<Answer.Transacted> third = commit(blind, put("/n", "3"));
    CompletableFuture<Found> read =
        table.read("", begin(), new Read(KeyRange.prefix(Bytes.utf8("/")), 0, false, false));
    assertThat(ground.proposals).hasSize(1);
    assertThat(List.of(second, third, read)).noneMatch(CompletableFuture::isDone);

    ground.applyNext();
    assertThat(now(first).succeeded()).isTrue();
    assertThatThrownBy(() -> now(second)).isInstanceOf(ConflictException.class);
    assertThatThrownBy(() -> now(read)).isInstanceOf(ConflictException.class);
    ground.applyNext();
    assertThat(now(third).succeeded()).isTrue();
    assertThat(ground.get("/n")).contains("3");
  }

  @Test
  void aCommitThatIsRefusedLetsTheOthersGoOn() {
    String one = begin();
    String two = begin();
    read(one, "/a");
    read(two, "/n");
    CompletableFuture<Answer.Transacted> first = commit(one, put("/n", "1"));
    CompletableFuture<Answer.Transacted> second = commit(two, put("/n", "2"));
    ground.proposals.removeFirst().answer().completeExceptionally(new ConflictException("refused"));
    ground.applyNext();
    assertThatThrownBy(() -> now(first)).isInstanceOf(ConflictException.class);
    assertThat(now(second).succeeded()).isTrue();
    assertThat(ground.get("/n")).contains("2");
  }

  @Test
  void deletedRangesAreLockedAsAWhole() {
    String one = begin();
    String two = begin();
    var _ = commit(one, delete("/d/"));
    CompletableFuture<Answer.Transacted> second = commit(two, put("/d/x", "1"));
    assertThat(second).isNotDone();
    ground.applyNext();
    ground.applyNext();
    assertThat(now(second).succeeded()).isTrue();
    assertThat(ground.get("/d/x")).contains("1");
  }

  @Test
  void theStateHasTheLastWord() {
    String id = begin();
    read(id, "/a");
    CompletableFuture<Answer.Transacted> commit = commit(id, put("/b", "1"));
    ground.put("/a", "changed between proposing and applying");
    ground.applyNext();
    assertThatThrownBy(() -> now(commit)).isInstanceOf(ConflictException.class);
    assertThat(ground.get("/b")).isEmpty();
  }

  @Test
  void aReadOnlyTransactionCommitsWithoutTheLog() {
    long revision = ground.put("/a", "1");
    String id = begin();
    read(id, "/a");
    ground.put("/a", "2"); // it stands at its revision all the same
    assertThat(now(commit(id))).isEqualTo(new Answer.Transacted(true, revision, List.of()));
    assertThat(ground.proposals).isEmpty();
  }

  @Test
  void aCommitHasLimits() {
    String id = begin();
    assertThatThrownBy(
            () -> now(commit(id, put("/a", ""), put("/b", ""), put("/c", ""), put("/d", ""))))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("4 writes")
        .hasMessageContaining("may be 3");
    assertThatThrownBy(() -> now(commit(id, put("/a", "x".repeat(100)))))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("102 bytes");
    assertThat(committed(id, put("/a", "1")).succeeded()).as("it is still open").isTrue();
  }

  // ---- how they end

  /** "Each transaction exists within the scope of a single raft leader's term." */
  @Test
  void endsWithTheTermOfItsLeader() {
    String id = begin();
    read(id, "/a");
    table.follows();
    assertThat(table.size()).isZero();
    assertThat(table.lockCount()).isZero();
    table.leads(4);
    assertThatThrownBy(() -> now(commit(id, put("/a", "1"))))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("term");
    assertThat(ground.proposals).isEmpty();
  }

  @Test
  void aCommitThatWasNotProposedIsAConflict() {
    String id = begin();
    ground.refuse = new NotServingException("deposed", "other:1");
    assertThatThrownBy(() -> now(commit(id, put("/a", "1"))))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("term");
    assertThat(table.size()).isZero();
  }

  @Test
  void aCommitThatMayHaveBeenAppliedIsUnknownUntilAskedAgain() {
    String id = begin();
    Origin origin = origin();
    CompletableFuture<Answer.Transacted> commit =
        table.commit(origin, id, List.of(), List.of(put("/a", "1")));
    FakeGround.Proposal proposal = ground.proposals.getFirst();
    proposal.answer().completeExceptionally(new OutcomeUnknownException("leader lost"));
    table.follows();
    assertThatThrownBy(() -> now(commit)).isInstanceOf(OutcomeUnknownException.class);

    ground.applyNext(); // another leader had it
    table.leads(4);
    int barriers = ground.barriers;
    assertThat(now(table.commit(origin, id, List.of(), List.of(put("/a", "1")))).succeeded())
        .isTrue();
    assertThat(ground.barriers).as("asked behind a barrier").isEqualTo(barriers + 1);
    assertThatThrownBy(
            () -> now(table.commit(Origin.of(""), id, List.of(), List.of(put("/a", "1")))))
        .as("without a session nobody knows")
        .isInstanceOf(ConflictException.class);
  }

  @Test
  void aCommitThatIsAskedForTwiceIsProposedOnce() {
    String id = begin();
    Origin origin = origin();
    var first = table.commit(origin, id, List.of(), List.of(put("/a", "1")));
    var again = table.commit(origin, id, List.of(), List.of(put("/a", "1")));
    assertThatThrownBy(() -> now(commit(id, put("/a", "2"))))
        .isInstanceOf(InvalidRequestException.class);
    assertThat(ground.proposals).hasSize(1);
    ground.applyNext();
    assertThat(now(again)).isEqualTo(now(first));
  }

  @Test
  void aFullQueueLeavesTheTransactionOpen() {
    String id = begin();
    ground.refuse = new ExhaustedException("full");
    assertThatThrownBy(() -> now(commit(id, put("/a", "1"))))
        .isInstanceOf(ExhaustedException.class);
    ground.refuse = null;
    assertThat(committed(id, put("/a", "1")).succeeded()).isTrue();
  }

  @Test
  void endsAfterItsLife() {
    String idle = begin();
    read(idle, "/a");
    clock.advance(Duration.ofSeconds(9));
    table.expire();
    String later = begin();
    clock.advance(Duration.ofSeconds(1));
    table.expire();
    assertThat(table.lockCount()).isZero();
    assertThat(table.size()).isEqualTo(1);
    assertThatThrownBy(() -> now(commit(idle, put("/a", "1"))))
        .isInstanceOf(ConflictException.class);
    assertThat(read(later, "/a")).isEmpty();
  }

  @Test
  void isOverInTimeEvenIfNobodyCleansUp() {
    String id = begin();
    clock.advance(Duration.ofSeconds(10));
    assertThatThrownBy(() -> read(id, "/a")).isInstanceOf(ConflictException.class);
  }

  @Test
  void aWaitEndsWithTheLifeOfTheOneThatWaits() {
    String writer = begin();
    String waiting = begin();
    var _ = commit(writer, put("/a", "1"));
    CompletableFuture<Answer.Transacted> blocked = commit(waiting, put("/a", "2"));
    clock.advance(Duration.ofSeconds(10));
    table.expire();
    assertThatThrownBy(() -> now(blocked)).isInstanceOf(ConflictException.class);
    assertThat(table.size()).as("the commit is in the log's hands").isEqualTo(1);
  }

  @Test
  void endsWithItsSession() {
    String id = table.begin("", 7).join().id();
    read(id, "/a");
    ground.sessions.clear();
    table.expire();
    assertThat(table.lockCount()).isZero();
    assertThatThrownBy(() -> read(id, "/a")).isInstanceOf(ConflictException.class);
  }

  @Test
  void belongsToWhoBeganIt() {
    String id = table.begin("ann", 0).join().id();
    assertThatThrownBy(() -> read(id, "/a")).isInstanceOf(DeniedException.class);
    assertThatThrownBy(() -> table.abort("bob", id)).isInstanceOf(DeniedException.class);
  }

  @Test
  void anIdThatIsNoneIsInvalid() {
    assertThatThrownBy(() -> read("nonsense", "/a"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("nonsense");
  }

  /** "Commit: lock the state, get the next index": many at once never leave a lock behind. */
  @Test
  void interleavedTransactionsLeaveNoLocks() {
    List<String> open = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      String id = begin();
      open.add(id);
      readPrefix(id, "/d/" + (i % 3), 0);
    }
    int conflicts = 0;
    for (String id : open) {
      CompletableFuture<Answer.Transacted> commit =
          commit(id, put("/d/" + open.indexOf(id) % 5, id));
      if (!ground.proposals.isEmpty()) {
        ground.applyNext();
      }
      conflicts += commit.isCompletedExceptionally() ? 1 : 0;
    }
    assertThat(conflicts).isBetween(1, 39);
    assertThat(table.size()).isZero();
    assertThat(table.lockCount()).isZero();
  }
}
