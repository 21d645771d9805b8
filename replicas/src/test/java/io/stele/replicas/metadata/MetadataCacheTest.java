package io.stele.replicas.metadata;

import static io.stele.replicas.MetadataCluster.address;
import static io.stele.replicas.metadata.MetadataSamples.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.ConflictException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.UnavailableException;
import io.stele.base.event.Subscription;
import io.stele.base.schema.TableSchema;
import io.stele.replicas.MetadataCluster;
import io.stele.replicas.metadata.Coordination.LiveServer;
import io.stele.replicas.metadata.MetadataChange.FinalizeJoin;
import io.stele.replicas.metadata.MetadataChange.Join;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What servers know of tables, and how they ask for changes. */
class MetadataCacheTest {
  private final MetadataCluster cluster = new MetadataCluster("a", "b", "c", "d");
  private final Metadata first = cluster.create("t", "a", "b", "c");
  private final String table = first.table();
  private final MetadataCache cache = cluster.server("d").cache();

  private Metadata known() {
    return cache.byId(table).orElseThrow().metadata();
  }

  @Test
  void tableIsLookedForWhenItIsFirstNamed() {
    assertThat(cache.table("t")).isEmpty();
    assertThat(cache.require("t").metadata()).isEqualTo(first);
    assertThat(cache.table("t")).isPresent();
    assertThatThrownBy(() -> cache.require("none"))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("\"none\"");
  }

  @Test
  void tableWhoseMetadataNobodyGivesIsUnavailable() {
    for (String server : List.of("a", "b", "c")) {
      cluster.network.isolate(address(server));
    }
    assertThatThrownBy(() -> cache.require("t"))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("METADATA t-0 of table \"t\"")
        .hasMessageContaining("[a, b, c]");
  }

  @Test
  void whatIsKnownIsSaidWhileTheServiceIsAway() {
    cluster.round();
    cluster.service.away("d");
    cluster.server("a").change(table, join(first, "1", "d"));
    assertThat(known()).isEqualTo(first);
    assertThat(cache.require("t").metadata()).isEqualTo(first);
    assertThat(cache.servers()).hasSize(4);
    assertThatThrownBy(() -> cache.refresh(table)).isInstanceOf(UnavailableException.class);
    cluster.service.back("d");
    cluster.server("d").round();
    assertThat(known().txn()).isEqualTo("1");
  }

  @Test
  void whoHearsOfSomethingNewerLooksForIt() {
    cluster.round();
    cluster.network.on(call -> call.is("changed")).refuse(9);
    cluster.server("a").change(table, join(first, "1", "d"));
    long reads = cluster.service.reads();
    assertThat(cache.atLeast(table, 1).orElseThrow().metadata()).isEqualTo(first);
    assertThat(cluster.service.reads()).as("nothing to look for").isEqualTo(reads);
    assertThat(cache.atLeast(table, 2).orElseThrow().metadata().txn()).isEqualTo("1");
  }

  /** It lost everything, and the table was listed again before anybody had noticed. */
  @Test
  void aServiceThatBeganAgainIsBelievedThoughItsVersionsAreLower() {
    cluster.server("a").change(table, join(first, "1", "d"));
    cache.refresh(table);
    TableConfig listed = cluster.service.config("t").withMetadataServers(List.of("b"));
    cluster.service.silent(true);
    cluster.service.loseEverything();
    cluster.service.restore(listed);
    MetadataCache.Known known = cache.refresh(table).orElseThrow();
    assertThat(known.config()).isEqualTo(listed);
    assertThat(known.isConfirmed()).isTrue();
  }

  @Test
  void whatIsKnownNeverBecomesOlder() {
    Metadata second = cluster.server("a").change(table, join(first, "1", "d"));
    Metadata third = ChangedMetadata.of(second, join(second, "2", "x"));
    cache.refresh(table);
    cache.offer(third);
    assertThat(known()).isEqualTo(third);
    cache.offer(second);
    assertThat(known()).isEqualTo(third);
    cache.refresh(table);
    assertThat(known()).as("the service has not got it yet").isEqualTo(third);
  }

  @Test
  void metadataThatChangesWhileItIsFetchedIsFetchedAgain() {
    cluster
        .network
        .on(call -> call.is("fetch"))
        .runBefore(
            () -> {
              cluster.server("a").change(table, join(first, "1", "x"));
              cluster.server("a").round();
              cluster.server("b").round();
              cluster.server("c").round();
            });
    cache.refresh(table);
    assertThat(known().txn()).isEqualTo("1");
  }

  @Test
  void fileOnTheOwnDiskNeedsNoPeer() {
    cluster.network.forgetCalls();
    cluster.server("b").cache().refresh(table);
    assertThat(cluster.network.count("fetch")).isZero();
    assertThat(cluster.server("b").cache().byId(table)).isPresent();
  }

  @Test
  void ownFileThatIsCorruptIsNotBelieved() throws IOException {
    cluster.disk("b").corrupt(MetadataCluster.file("t", "t-0"), 100);
    cluster.stop("b");
    cluster.disk("b").delete(KnownFiles.TABLES.resolve(table));
    cluster.start("b").cache().refresh(table);
    assertThat(cluster.server("b").cache().byId(table).orElseThrow().metadata()).isEqualTo(first);
    assertThat(cluster.events("b")).anyMatch(each -> each instanceof MetadataEvent.Corrupt);
  }

  @Test
  void schemaIsKnownWithoutFetchingAgain() {
    cluster.round();
    cluster.network.forgetCalls();
    Coordination.Kept kept = cluster.service.table("t").orElseThrow();
    TableSchema schema = TableSchema.ofFamilies("f", "g");
    cluster.service.of("a").replace(kept.config().withSchema(schema), kept.version());
    cluster.server("d").round();
    assertThat(cache.require("t").config().schema()).isEqualTo(schema);
    assertThat(cluster.network.count("fetch")).isZero();
  }

  @Test
  void listenersAreToldOfTablesAndServers() {
    List<String> told = new ArrayList<>();
    MetadataCache.Listener listener =
        new MetadataCache.Listener() {
          @Override
          public void tableChanged(String id) {
            told.add(id + " " + cache.byId(id).map(each -> each.metadata().txn()).orElse("gone"));
          }

          @Override
          public void serversChanged() {
            told.add(cache.servers().stream().map(LiveServer::id).toList().toString());
          }
        };
    Subscription subscription = cache.subscribe(listener);
    cluster.server("d").round();
    cluster.server("d").round();
    cluster.server("a").change(table, join(first, "1", "d"));
    cluster.stop("b");
    cluster.server("d").round();
    Coordination.Kept kept = cluster.service.table("t").orElseThrow();
    cluster.service.of("a").drop(kept.config(), kept.version());
    cluster.server("d").round();
    subscription.close();
    cluster.start("b");
    cluster.server("d").round();
    assertThat(told)
        .containsExactly("[a, b, c, d]", "id-t t-0", "id-t 1", "[a, c, d]", "id-t gone");
  }

  @Test
  void listenerThatFailsHoldsUpNobody() {
    List<String> told = new ArrayList<>();
    for (boolean fails : new boolean[] {true, false}) {
      cache.subscribe(
          new MetadataCache.Listener() {
            @Override
            public void tableChanged(String id) {
              if (fails) {
                throw new IllegalStateException("no");
              }
              told.add(id);
            }

            @Override
            public void serversChanged() {}
          });
    }
    cluster.server("d").round();
    assertThat(told).containsExactly(table);
  }

  @Test
  void nameThatPassesToAnotherTableIsThatOfTheNewOne() {
    cluster.round();
    Coordination.Kept kept = cluster.service.table("t").orElseThrow();
    cluster.service.of("a").drop(kept.config(), kept.version());
    Metadata other = Metadata.first("id-2", "x-0", "x-p", List.of(new Assignment("a", "x-a")));
    TableConfig config =
        new TableConfig("t", "id-2", kept.config().schema(), "x-0", List.of("a", "b"));
    assertThat(cluster.server("a").create(config, other)).isTrue();
    cluster.server("d").round();
    assertThat(cache.require("t").metadata()).isEqualTo(other);
    assertThat(cache.byId(table)).isEmpty();
  }

  // ---- asking for changes

  private static Optional<MetadataChange.Operation> joinD(Metadata valid) {
    boolean there = valid.servers().contains("d");
    return there
        ? Optional.empty()
        : Optional.of(new Join("t-p", new Assignment("d", "new-d"), Optional.empty()));
  }

  private Metadata request() {
    return cluster.server("d").requester().change(table, MetadataCacheTest::joinD);
  }

  @Test
  void changeIsMadeByWhoeverAnswers() {
    cluster.network.isolate(address("b"));
    cluster.stop("c");
    cluster.start("c");
    Metadata changed = request();
    assertThat(changed.servers()).contains("d");
    assertThat(known()).isEqualTo(changed);
    assertThat(request()).as("nothing more to do").isEqualTo(changed);
  }

  @Test
  void changeIsAskedForAgainFromWhatIsValid() {
    for (String server : List.of("a", "b", "c")) {
      cluster.service.beforeChange(
          server,
          () -> {
            Metadata valid = cluster.server("a").cache().refresh(table).orElseThrow().metadata();
            String other = server.equals("a") ? "b" : "a";
            cluster.server(other).change(table, join(valid, "before-" + server, "x" + server));
          });
    }
    Metadata changed = request();
    assertThat(changed.servers()).contains("d").anyMatch(each -> each.startsWith("x"));
    assertThat(changed.sequence()).as("others were first").isGreaterThan(2);
  }

  @Test
  void changeWhoseAnswerIsLostIsNotMadeTwice() {
    cluster.network.on(call -> call.is("change")).loseAnswer(1);
    Metadata changed = request();
    assertThat(changed.sequence()).isEqualTo(2);
    assertThat(changed.partitions().getFirst().joining()).hasSize(1);
  }

  @Test
  void serverThatLacksTheFileIsPassedOver() {
    cluster.network.isolate(address("c"));
    Metadata second = cluster.server("a").change(table, join(first, "1", "x"));
    cluster.network.heal();
    assertThat(request().sequence()).isEqualTo(second.sequence() + 1);
  }

  @Test
  void nobodyWhoAnswersIsUnavailable() {
    cluster.round();
    for (String server : List.of("a", "b", "c")) {
      cluster.network.isolate(address(server));
    }
    assertThatThrownBy(this::request)
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("no metadata server of table t made the change");
  }

  @Test
  void changeThatNeverFitsIsAConflict() {
    assertThatThrownBy(
            () ->
                cluster
                    .server("d")
                    .requester()
                    .change(table, valid -> Optional.of(new FinalizeJoin("t-p", "nobody"))))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("nobody");
  }

  @Test
  void changeOfNoTableIsNotFound() {
    assertThatThrownBy(() -> cluster.server("d").requester().change("x", valid -> Optional.empty()))
        .isInstanceOf(NotFoundException.class);
  }
}
