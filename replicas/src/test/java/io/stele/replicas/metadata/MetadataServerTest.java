package io.stele.replicas.metadata;

import static io.stele.replicas.MetadataCluster.address;
import static io.stele.replicas.MetadataCluster.file;
import static io.stele.replicas.metadata.MetadataSamples.beginSplit;
import static io.stele.replicas.metadata.MetadataSamples.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.OutcomeUnknownException;
import io.stele.base.error.UnavailableException;
import io.stele.replicas.FakePeers.Call;
import io.stele.replicas.MetadataCluster;
import io.stele.replicas.metadata.MetadataChange.FinalizeSplit;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** METADATA files, sentence by sentence. */
class MetadataServerTest {
  private final MetadataCluster cluster = new MetadataCluster("a", "b", "c", "d");
  private final Metadata first = cluster.create("t", "a", "b", "c");
  private final String table = first.table();

  private Metadata change(String server, MetadataChange change) {
    return cluster.server(server).change(table, change);
  }

  private String validTxn() {
    return cluster.service.config("t").metadataTxn();
  }

  private void assertOnlyValidFiles() {
    TableConfig config = cluster.service.config("t");
    for (String server : List.of("a", "b", "c", "d")) {
      assertThat(cluster.files(server, "t"))
          .as("files of %s", server)
          .isEqualTo(
              config.metadataServers().contains(server)
                  ? List.of(config.metadataTxn())
                  : List.of());
    }
  }

  // ---- "The TableConfig records the valid transaction and the list of metadata servers"

  @Test
  void newTableHasItsFileOnItsServersBeforeItIsThere() {
    for (String server : List.of("a", "b", "c")) {
      assertThat(cluster.server(server).fetch(table, "t-0")).isPresent();
    }
    assertThat(cluster.server("d").cache().require("t").metadata()).isEqualTo(first);
  }

  @Test
  void nameThatIsTakenIsNotTakenAgain() {
    Metadata other =
        Metadata.first("id-other", "x-0", "x", first.partitions().getFirst().members());
    TableConfig config = cluster.service.config("t");
    TableConfig again =
        new TableConfig("t", "id-other", config.schema(), "x-0", config.metadataServers());
    assertThat(cluster.server("b").create(again, other)).isFalse();
    assertThat(cluster.service.config("t")).isEqualTo(config);
    for (String server : List.of("a", "b", "c")) {
      assertThat(cluster.files(server, "other")).isEmpty();
    }
  }

  @Test
  void tableWhoseServersAreDeadIsNotMade() {
    cluster.stop("b");
    cluster.stop("c");
    TableConfig config = MetadataCluster.config("u", "a", "b", "c");
    Metadata metadata = Metadata.first("id-u", "u-0", "u-p", List.of(new Assignment("a", "u-a")));
    assertThatThrownBy(() -> cluster.server("a").create(config, metadata))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("1 of 3");
    assertThat(cluster.service.table("u")).isEmpty();
    assertThat(cluster.files("a", "u")).isEmpty();
  }

  @Test
  void lostAnswerToTheCreationOfATableIsFoundOut() {
    cluster.service.loseAnswer("a");
    Metadata made = cluster.create("u", "a", "b");
    cluster.service.loseRequest("a");
    cluster.create("v", "a", "b");
    assertThat(cluster.server("d").cache().require("u").metadata()).isEqualTo(made);
    assertThat(cluster.service.table("v")).isPresent();
  }

  @Test
  void staleFileIsNotServed() {
    cluster.network.isolate(address("c"));
    Metadata changed = change("a", join(first, "1", "d"));
    cluster.network.heal();
    assertThat(cluster.files("c", "t")).containsExactly("t-0");
    for (String txn : List.of("t-0", "1")) {
      assertThatThrownBy(() -> cluster.server("c").fetch(table, txn))
          .isInstanceOf(NotServingException.class)
          .hasMessageContaining("c lacks METADATA 1 of table t");
    }
    assertThat(cluster.server("d").cache().refresh(table).orElseThrow().metadata())
        .isEqualTo(changed);
  }

  // ---- "To commit the change, the request is sent to any coordinating metadata server"

  @Test
  void anyMetadataServerCoordinates() {
    Metadata valid = first;
    for (String server : List.of("a", "b", "c")) {
      valid = change(server, join(valid, "by-" + server, "x-" + server));
      assertThat(validTxn()).isEqualTo("by-" + server);
      for (String each : List.of("a", "b", "c")) {
        assertThat(cluster.server(each).fetch(table, "by-" + server))
            .contains(MetadataFile.encode(valid));
      }
    }
    assertThat(valid.sequence()).isEqualTo(4);
    cluster.round();
    assertOnlyValidFiles();
  }

  @Test
  void otherServersDoNotCoordinateAndSayWhoDoes() {
    cluster.round();
    assertThatThrownBy(() -> change("d", join(first, "1", "d")))
        .isInstanceOfSatisfying(
            NotServingException.class, e -> assertThat(e.hint()).contains(address("a")))
        .hasMessageContaining("d is no metadata server of table t");
    assertThat(validTxn()).isEqualTo("t-0");
  }

  @Test
  void changeOfAnotherBaseIsRefused() {
    Metadata changed = change("a", join(first, "1", "x"));
    assertThatThrownBy(() -> change("b", join(first, "2", "y")))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("based on t-0");
    assertThat(validTxn()).isEqualTo(changed.txn());
    cluster.round();
    assertOnlyValidFiles();
  }

  @Test
  void nameOfATransactionIsUsedOnce() {
    Metadata changed = change("a", join(first, "1", "x"));
    assertThatThrownBy(() -> change("b", join(changed, "1", "y")))
        .isInstanceOf(ConflictException.class);
    assertThat(cluster.server("b").fetch(table, "1")).contains(MetadataFile.encode(changed));
  }

  // ---- "Once a majority of the metadata servers have confirmed … durable storage"

  @Test
  void oneOfThreeMayBeDown() {
    cluster.stop("c");
    change("a", join(first, "1", "x"));
    assertThat(validTxn()).isEqualTo("1");
    assertThat(cluster.files("b", "t")).contains("1");
  }

  @Test
  void twoOfThreeMayNot() {
    cluster.stop("b");
    cluster.stop("c");
    assertThatThrownBy(() -> change("a", join(first, "1", "x")))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("stored by 1 of 3 metadata servers: must be 2");
    assertThat(validTxn()).isEqualTo("t-0");
    assertThat(cluster.files("a", "t")).containsExactly("t-0");
  }

  @Test
  void whatOnlyAMinorityStoredIsTakenBack() {
    MetadataCluster five = new MetadataCluster("a", "b", "c", "d", "e");
    Metadata base = five.create("t", "a", "b", "c", "d", "e");
    for (String cut : List.of("c", "d", "e")) {
      five.network.isolate(address(cut));
    }
    assertThatThrownBy(() -> five.server("a").change(base.table(), join(base, "1", "x")))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("2 of 5");
    for (String server : List.of("a", "b", "c", "d", "e")) {
      assertThat(five.files(server, "t")).containsExactly("t-0");
    }
  }

  @Test
  void fileIsDurableBeforeItIsConfirmed() {
    cluster.stop("c");
    change("a", join(first, "1", "x"));
    // Power fails everywhere; one of the two that confirmed comes back.
    cluster.stop("a");
    cluster.stop("b");
    cluster.start("b");
    assertThat(cluster.server("b").fetch(table, "1")).isPresent();
  }

  @Test
  void answerThatIsLostIsNoConfirmation() {
    cluster.stop("c");
    cluster.network.on(call -> call.is("store")).loseAnswer(1);
    assertThatThrownBy(() -> change("a", join(first, "1", "x")))
        .isInstanceOf(UnavailableException.class);
    assertThat(validTxn()).isEqualTo("t-0");
    assertThat(cluster.files("b", "t")).as("taken back").containsExactly("t-0");
  }

  // ---- "The compare-and-swap update will fail if another transaction was commited …"

  @Test
  void ofTwoTransactionsOneWins() {
    cluster.service.beforeChange("a", () -> change("b", join(first, "2", "y")));
    assertThatThrownBy(() -> change("a", join(first, "1", "x")))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("changed during the change from t-0 to 1");
    assertThat(validTxn()).isEqualTo("2");
    for (String server : List.of("a", "b", "c")) {
      assertThat(cluster.files(server, "t")).as(server).doesNotContain("1").contains("2");
    }
    cluster.round();
    assertOnlyValidFiles();
  }

  @Test
  void simultaneousSplitsHaveOneWinner() {
    cluster.service.beforeChange("a", () -> change("b", beginSplit(first, "2", "k", "b")));
    assertThatThrownBy(() -> change("a", beginSplit(first, "1", "m", "a")))
        .isInstanceOf(ConflictException.class);
    Metadata valid = cluster.server("c").cache().refresh(table).orElseThrow().metadata();
    assertThat(valid.partitions().getFirst().split().orElseThrow().at()).isEqualTo(Bytes.utf8("k"));
    assertThatThrownBy(() -> change("a", beginSplit(valid, "3", "m", "a")))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("being split at k");
  }

  // ---- "… or the list of metadata servers changed"

  @Test
  void changeFailsIfAServerJoinedMeanwhile() {
    cluster.service.beforeChange("a", () -> cluster.server("d").join(table));
    assertThatThrownBy(() -> change("a", join(first, "1", "x")))
        .isInstanceOf(ConflictException.class);
    assertThat(validTxn()).isEqualTo("t-0");
    assertThat(cluster.service.config("t").metadataServers()).containsExactly("a", "b", "c", "d");
    assertOnlyValidFiles();
  }

  @Test
  void changeFailsIfAServerWasRemovedMeanwhile() {
    cluster.service.beforeChange("a", () -> cluster.server("b").remove(table, "c"));
    assertThatThrownBy(() -> change("a", join(first, "1", "x")))
        .isInstanceOf(ConflictException.class);
    assertThat(validTxn()).isEqualTo("t-0");
    assertThat(cluster.files("a", "t")).containsExactly("t-0");
  }

  // ---- "… asks the other metadata servers to clean up the aborted transaction file"

  @Test
  void whoMissesTheCleaningUpFindsOutByItself() {
    cluster.service.beforeChange("a", () -> change("b", join(first, "2", "y")));
    cluster.network.on(call -> call.is("drop")).refuse(2);
    assertThatThrownBy(() -> change("a", join(first, "1", "x")))
        .isInstanceOf(ConflictException.class);
    assertThat(cluster.files("c", "t")).contains("1");
    cluster.round();
    assertOnlyValidFiles();
  }

  @Test
  void fileThatComesAfterItsCleaningUpIsLeftOverToo() {
    cluster.stop("c");
    cluster.network.on(call -> call.is("store")).loseRequest(1);
    assertThatThrownBy(() -> change("a", join(first, "1", "x")))
        .isInstanceOf(UnavailableException.class);
    Metadata late = ChangedMetadata.of(first, join(first, "1", "x"));
    cluster.server("b").store(table, "1", MetadataFile.encode(late));
    cluster.start("c");
    cluster.tidy();
    assertOnlyValidFiles();
  }

  @Test
  void validFileIsNeverDropped() {
    change("a", join(first, "1", "x"));
    assertThatThrownBy(() -> cluster.server("b").drop(table, "1"))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("is valid");
    cluster.service.away("b");
    assertThatThrownBy(() -> cluster.server("b").drop(table, "1"))
        .isInstanceOf(UnavailableException.class);
    assertThat(cluster.files("b", "t")).contains("1");
  }

  @Test
  void sameChangeSentToTwoServersIsMadeOnce() {
    MetadataChange change = join(first, "1", "x");
    cluster.service.beforeChange(
        "a",
        () -> {
          assertThatThrownBy(() -> change("b", change)).isInstanceOf(ConflictException.class);
          // As if b had not noticed that it has the file already.
          Coordination.Kept kept = cluster.service.table("t").orElseThrow();
          cluster.service.of("b").replace(kept.config().withMetadataTxn("1"), kept.version());
        });
    assertThat(change("a", change).txn()).isEqualTo("1");
    for (String server : List.of("a", "b", "c")) {
      assertThat(cluster.server(server).fetch(table, "1")).isPresent();
    }
  }

  @Test
  void coordinatorThatWasStoppedForLongFindsThatItHasLost() {
    cluster.service.beforeChange(
        "a",
        () -> {
          for (int i = 0; i < 3; i++) {
            cluster.clock.advance(MetadataCluster.ABANDONED);
            cluster.server("b").round();
            cluster.server("c").round();
          }
          assertThat(cluster.files("b", "t")).containsExactly("t-0");
          assertThat(cluster.files("c", "t")).containsExactly("t-0");
        });
    assertThatThrownBy(() -> change("a", join(first, "1", "x")))
        .isInstanceOf(ConflictException.class);
    assertThat(validTxn()).isEqualTo("t-0");
    assertOnlyValidFiles();
  }

  @Test
  void fileThatIsStoredAgainIsLookedAtAnew() {
    Bytes file = MetadataFile.encode(ChangedMetadata.of(first, join(first, "1", "x")));
    cluster.server("b").store(table, "1", file);
    cluster.server("b").round();
    Coordination.Kept kept = cluster.service.table("t").orElseThrow();
    cluster.service.of("a").replace(kept.config(), kept.version());
    // Somebody has read the new version, and tries again.
    cluster.server("b").store(table, "1", file);
    cluster.server("b").round();
    assertThat(cluster.files("b", "t")).contains("1");
    kept = cluster.service.table("t").orElseThrow();
    cluster.service.of("a").replace(kept.config(), kept.version());
    cluster.server("b").round();
    assertThat(cluster.files("b", "t")).containsExactly("t-0");
  }

  @Test
  void coordinatorNeedsItsFileForAsLongAsTheChangeTakes() {
    cluster.service.beforeChange(
        "a",
        () -> {
          for (int i = 0; i < 3; i++) {
            cluster.server("a").round();
            cluster.clock.advance(MetadataCluster.ABANDONED);
          }
        });
    change("a", join(first, "1", "x"));
    assertThat(cluster.server("a").fetch(table, "1")).isPresent();
  }

  @Test
  void fileOfAChangeUnderWayIsNotLeftOver() {
    cluster.service.beforeChange(
        "a",
        () -> {
          cluster.round();
          cluster.round();
        });
    change("a", join(first, "1", "x"));
    for (String server : List.of("a", "b", "c")) {
      assertThat(cluster.server(server).fetch(table, "1")).isPresent();
    }
  }

  // ---- an answer of the coordination service is lost

  @Test
  void swapWhoseAnswerIsLostIsFoundToBeMade() {
    cluster.service.loseAnswer("a");
    assertThat(change("a", join(first, "1", "x")).txn()).isEqualTo("1");
    assertThat(validTxn()).isEqualTo("1");
  }

  @Test
  void swapThatIsLostIsSeenToIt() {
    cluster.service.loseRequest("a");
    long version = cluster.service.table("t").orElseThrow().version();
    assertThatThrownBy(() -> change("a", join(first, "1", "x")))
        .isInstanceOf(ConflictException.class);
    assertThat(validTxn()).isEqualTo("t-0");
    assertThat(cluster.service.table("t").orElseThrow().version())
        .as("the lost request would come too late")
        .isGreaterThan(version);
    assertOnlyValidFiles();
  }

  @Test
  void swapIsFoundOutOnceTheServiceIsBack() {
    cluster.service.loseAnswer("a");
    cluster.service.beforeChange("a", () -> cluster.service.fail("a", 3));
    assertThat(change("a", join(first, "1", "x")).txn()).isEqualTo("1");
  }

  @Test
  void swapThatCannotBeFoundOutIsUnknown() {
    cluster.service.loseAnswer("a");
    cluster.service.beforeChange("a", () -> cluster.service.away("a"));
    assertThatThrownBy(() -> change("a", join(first, "1", "x")))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("METADATA 1 of table t");
    cluster.service.back("a");
    assertThat(validTxn()).isEqualTo("1");
    assertThat(cluster.server("a").fetch(table, "1")).isPresent();
    cluster.tidy();
    assertOnlyValidFiles();
  }

  @Test
  void swapThatAnotherOvertookIsFoundToHaveFailed() {
    cluster.service.beforeChange("a", () -> change("b", join(first, "2", "y")));
    cluster.service.loseRequest("a");
    assertThatThrownBy(() -> change("a", join(first, "1", "x")))
        .isInstanceOf(ConflictException.class);
    assertThat(validTxn()).isEqualTo("2");
    cluster.round();
    assertOnlyValidFiles();
  }

  @Test
  void swapThatIsRefusedIsTakenBack() {
    cluster.service.refuse("a");
    assertThatThrownBy(() -> change("a", join(first, "1", "x")))
        .isInstanceOf(UnavailableException.class);
    assertOnlyValidFiles();
  }

  // ---- "Join Metadata Server"

  @Test
  void serverJoinsWithTheFile() {
    cluster.server("d").join(table);
    assertThat(cluster.service.config("t").metadataServers()).containsExactly("a", "b", "c", "d");
    assertThat(cluster.server("d").fetch(table, "t-0")).contains(MetadataFile.encode(first));
    assertThat(change("d", join(first, "1", "x")).txn()).isEqualTo("1");
    cluster.server("d").join(table);
    assertThat(cluster.service.config("t").metadataServers()).hasSize(4);
  }

  @Test
  void joinStartsOverIfATransactionCommitsDuringTheDownload() {
    cluster
        .network
        .on(call -> call.is("fetch") && call.from().equals(address("d")))
        .runAfter(() -> change("a", join(first, "1", "x")));
    cluster.server("d").join(table);
    assertThat(cluster.service.config("t").metadataServers()).contains("d");
    assertThat(cluster.server("d").fetch(table, "1")).isPresent();
    cluster.round();
    assertOnlyValidFiles();
  }

  @Test
  void joinStartsOverIfATransactionCommitsBeforeItIsListed() {
    cluster.service.beforeChange("d", () -> change("a", join(first, "1", "x")));
    cluster.server("d").join(table);
    assertThat(cluster.service.config("t").metadataServers()).contains("d");
    assertThat(cluster.server("d").fetch(table, "1")).isPresent();
  }

  @Test
  void serverIsNeverListedWithoutTheFile() {
    for (int i = 0; i < 5; i++) {
      String txn = "r" + i;
      cluster.service.beforeChange(
          "d",
          () -> {
            Metadata valid = cluster.server("a").cache().refresh(table).orElseThrow().metadata();
            change("a", join(valid, txn, "x-" + txn));
          });
    }
    assertThatThrownBy(() -> cluster.server("d").join(table))
        .isInstanceOf(UnavailableException.class);
    assertThat(cluster.service.config("t").metadataServers()).doesNotContain("d");
    cluster.round();
    assertOnlyValidFiles();
  }

  @Test
  void fileComesFromAnyServerThatLives() {
    cluster.stop("a");
    cluster.network.on(call -> call.is("fetch") && call.to().equals(address("b"))).refuse(9);
    cluster.server("d").join(table);
    assertThat(cluster.service.config("t").metadataServers()).contains("d");
  }

  @Test
  void nobodyJoinsIfNobodyHasTheFile() {
    for (String server : List.of("a", "b", "c")) {
      cluster.stop(server);
    }
    assertThatThrownBy(() -> cluster.server("d").join(table))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("server d could not become a metadata server");
    assertThat(cluster.service.config("t").metadataServers()).doesNotContain("d");
  }

  @Test
  void joinWhoseAnswerIsLostIsFoundOut() {
    cluster.service.loseAnswer("d");
    cluster.server("d").join(table);
    assertThat(cluster.service.config("t").metadataServers()).containsExactly("a", "b", "c", "d");
  }

  // ---- "Remove Metadata Server"

  @Test
  void majorityIsThatOfThoseWhoAreLeft() {
    cluster.stop("c");
    cluster.server("a").remove(table, "c");
    assertThat(cluster.service.config("t").metadataServers()).containsExactly("a", "b");
    cluster.stop("b");
    assertThatThrownBy(() -> change("a", join(first, "1", "x")))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("1 of 2 metadata servers: must be 2");
    cluster.server("a").remove(table, "b");
    assertThat(change("a", join(first, "2", "x")).txn()).isEqualTo("2");
  }

  @Test
  void whoLeftDoesNotServe() {
    cluster.server("c").remove(table, "c");
    assertThatThrownBy(() -> cluster.server("c").fetch(table, "t-0"))
        .isInstanceOf(NotServingException.class);
    assertThatThrownBy(() -> change("c", join(first, "1", "x")))
        .isInstanceOf(NotServingException.class);
    change("a", join(first, "2", "x"));
    cluster.round();
    assertOnlyValidFiles();
  }

  @Test
  void lastServerStays() {
    cluster.server("a").remove(table, "b");
    cluster.server("a").remove(table, "c");
    assertThatThrownBy(() -> cluster.server("a").remove(table, "a"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("last metadata server of table t");
    assertThat(cluster.service.config("t").metadataServers()).containsExactly("a");
  }

  @Test
  void lastServerThatHasTheFileStays() {
    cluster.network.isolate(address("c"));
    change("a", join(first, "1", "x"));
    cluster.network.heal();
    cluster.server("a").remove(table, "b");
    assertThatThrownBy(() -> cluster.server("a").remove(table, "a"))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("none of the metadata servers [c]");
    assertThat(cluster.service.config("t").metadataServers()).containsExactly("a", "c");
    cluster.server("c").round();
    cluster.server("a").remove(table, "a");
    assertThat(cluster.service.config("t").metadataServers()).containsExactly("c");
  }

  // ---- "Background Metadata Replication"

  @Test
  void whoWasAwayServesAgainOnceItHasFetched() {
    cluster.stop("c");
    Metadata changed = change("a", join(first, "1", "x"));
    cluster.start("c");
    assertThatThrownBy(() -> cluster.server("c").fetch(table, "1"))
        .isInstanceOf(NotServingException.class);
    assertThatThrownBy(() -> change("c", join(changed, "2", "y")))
        .isInstanceOf(NotServingException.class)
        .hasMessageContaining("lacks METADATA 1");
    cluster.server("c").round();
    assertThat(cluster.server("c").fetch(table, "1")).contains(MetadataFile.encode(changed));
    assertThat(change("c", join(changed, "2", "y")).txn()).isEqualTo("2");
    assertThat(cluster.events("c"))
        .anyMatch(
            each ->
                each instanceof MetadataEvent.Fetched(var _, var txn, var _) && txn.equals("1"));
  }

  @Test
  void whoLacksTheValidFileKeepsWhatItHas() {
    cluster.stop("c");
    change("a", join(first, "1", "x"));
    cluster.start("c");
    cluster.network.isolate(address("c"));
    for (int i = 0; i < 3; i++) {
      cluster.server("c").round();
      cluster.clock.advance(MetadataCluster.ABANDONED);
    }
    assertThat(cluster.files("c", "t")).containsExactly("t-0");
    cluster.network.heal();
    cluster.server("c").round();
    assertThat(cluster.files("c", "t")).containsExactly("1");
  }

  @Test
  void wipedDiskGetsItsFilesBack() {
    cluster.stop("c");
    cluster.wipe("c");
    cluster.start("c");
    cluster.server("c").round();
    assertThat(cluster.server("c").fetch(table, "t-0")).isPresent();
  }

  // ---- corruption

  @Test
  void corruptFileIsNotServedAndIsFetchedAgain() throws IOException {
    cluster.round();
    cluster.disk("b").corrupt(file("t", "t-0"), 100);
    assertThatThrownBy(() -> cluster.server("b").fetch(table, "t-0"))
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("metadata/id-t/t-0 at offset")
        .hasMessageContaining("expected CRC")
        .hasMessageContaining("found");
    assertThatThrownBy(() -> change("b", join(first, "1", "x")))
        .isInstanceOf(CorruptDataException.class);
    assertThat(cluster.events("b")).anyMatch(each -> each instanceof MetadataEvent.Corrupt);
    cluster.server("b").round();
    assertThat(cluster.server("b").fetch(table, "t-0")).contains(MetadataFile.encode(first));
  }

  @Test
  void fileThatWasCorruptAtTheStartIsFetchedAgain() throws IOException {
    cluster.stop("b");
    cluster.disk("b").truncate(file("t", "t-0"), 20);
    cluster.start("b").round();
    assertThat(cluster.server("b").fetch(table, "t-0")).isPresent();
  }

  @Test
  void fileOfAnotherTransactionUnderThatNameIsCorrupt() throws IOException {
    Metadata other = ChangedMetadata.of(first, join(first, "1", "x"));
    cluster.disk("b").replace(file("t", "t-0"), MetadataFile.encode(other).toArray());
    assertThatThrownBy(() -> cluster.server("b").fetch(table, "t-0"))
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("expected METADATA t-0 of table id-t, found METADATA 1");
  }

  // ---- bad requests

  @Test
  void onlyMetadataFilesAreStored() {
    assertThatThrownBy(() -> cluster.server("a").store(table, "1", Bytes.utf8("nonsense")))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("no METADATA file");
    assertThatThrownBy(() -> cluster.server("a").store(table, "1", MetadataFile.encode(first)))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("sent as METADATA 1 of table id-t is METADATA t-0");
    for (String name : List.of("..", "a/b", "", ".x", "a\\b", "a b")) {
      Metadata odd = Metadata.first(table, name, "p", first.partitions().getFirst().members());
      assertThatThrownBy(() -> cluster.server("a").store(table, name, MetadataFile.encode(odd)))
          .as(name)
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("METADATA name");
    }
    assertThat(cluster.files("a", "t")).containsExactly("t-0");
  }

  @Test
  void fileIsNotReplacedByAnother() {
    Metadata other = Metadata.first(table, "t-0", "other", first.partitions().getFirst().members());
    assertThatThrownBy(() -> cluster.server("a").store(table, "t-0", MetadataFile.encode(other)))
        .isInstanceOf(ConflictException.class);
    cluster.server("a").store(table, "t-0", MetadataFile.encode(first));
    assertThat(cluster.server("a").fetch(table, "t-0")).contains(MetadataFile.encode(first));
  }

  // ---- tables that go

  @Test
  void filesOfATableGoWithIt() {
    cluster.round();
    Coordination.Kept kept = cluster.service.table("t").orElseThrow();
    cluster.service.of("a").drop(kept.config(), kept.version());
    cluster.round();
    for (String server : List.of("a", "b", "c")) {
      assertThat(cluster.files(server, "t")).isEmpty();
      assertThat(cluster.server(server).cache().table("t")).isEmpty();
    }
  }

  @Test
  void filesOfATableThatIsBeingMadeStay() {
    Metadata made = Metadata.first("id-u", "u-0", "u-p", List.of(new Assignment("a", "u-a")));
    cluster.server("a").store("id-u", "u-0", MetadataFile.encode(made));
    cluster.round();
    assertThat(cluster.files("a", "u")).containsExactly("u-0");
    cluster.clock.advance(MetadataCluster.ABANDONED);
    cluster.round();
    assertThat(cluster.files("a", "u")).as("nobody made it").isEmpty();
  }

  // ---- double finalize

  @Test
  void secondFinalizeIsHarmless() {
    Metadata splitting = change("a", beginSplit(first, "1", "m", "a", "b"));
    FinalizeSplit finalize = new FinalizeSplit("t-p", "1-low", "1-up");
    cluster.service.beforeChange("a", () -> change("b", new MetadataChange("1", "3", finalize)));
    assertThatThrownBy(() -> change("a", new MetadataChange("1", "2", finalize)))
        .isInstanceOf(ConflictException.class);
    Metadata halves = cluster.server("c").cache().refresh(table).orElseThrow().metadata();
    assertThat(halves.txn()).isEqualTo("3");
    assertThat(halves.sequence()).isEqualTo(splitting.sequence() + 1);
    assertThatThrownBy(() -> change("a", new MetadataChange("3", "4", finalize)))
        .isInstanceOf(ConflictException.class);
    assertThat(halves.partitions()).extracting(Partition::id).containsExactly("1-low", "1-up");
    // Who asks through the requester finds that it is done.
    Metadata found =
        cluster
            .server("d")
            .requester()
            .change(
                table,
                metadata ->
                    metadata.partition("t-p").isPresent()
                        ? Optional.of(finalize)
                        : Optional.empty());
    assertThat(found).isEqualTo(halves);
  }

  // ---- notification

  @Test
  void everyAffectedServerIsToldOfACommit() {
    cluster.round();
    cluster.network.forgetCalls();
    Metadata joining = change("a", join(first, "1", "d"));
    assertThat(cluster.network.calls().stream().filter(each -> each.is("changed")).map(Call::to))
        .containsExactlyInAnyOrder(address("b"), address("c"), address("d"));
    for (String server : List.of("a", "b", "c", "d")) {
      assertThat(cluster.server(server).cache().byId(table).orElseThrow().metadata())
          .isEqualTo(joining);
    }
    // Who is taken out is told, too.
    cluster.network.forgetCalls();
    Metadata left =
        change("a", new MetadataChange("1", "2", new MetadataChange.Leave("t-p", List.of("1-d"))));
    assertThat(cluster.network.calls().stream().filter(each -> each.is("changed")).map(Call::to))
        .contains(address("d"));
    assertThat(cluster.server("d").cache().byId(table).orElseThrow().metadata()).isEqualTo(left);
  }

  @Test
  void noticeThatIsLostIsRepairedByLooking() {
    cluster.round();
    cluster.network.on(call -> call.is("changed")).loseRequest(9);
    Metadata changed = change("a", join(first, "1", "d"));
    assertThat(cluster.server("d").cache().byId(table).orElseThrow().metadata()).isEqualTo(first);
    cluster.server("d").round();
    assertThat(cluster.server("d").cache().byId(table).orElseThrow().metadata()).isEqualTo(changed);
  }

  @Test
  void noticeToWhoCannotLookIsHarmless() {
    cluster.service.away("d");
    assertThatCode(() -> cluster.server("d").changed(table)).doesNotThrowAnyException();
    assertThatCode(() -> cluster.server("d").changed("no-such-table")).doesNotThrowAnyException();
  }
}
