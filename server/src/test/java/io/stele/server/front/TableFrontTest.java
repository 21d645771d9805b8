package io.stele.server.front;

import static io.stele.testkit.table.TableFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.ConflictException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.error.NotFoundException;
import io.stele.base.error.NotServingException;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.RowRange;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.Replicas;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.Tables;
import io.stele.base.table.TabletLocation;
import io.stele.base.table.TabletLocator;
import io.stele.client.Stele;
import io.stele.client.table.RowMutation;
import io.stele.gateway.nativeapi.Channels;
import io.stele.gateway.nativeapi.NativeServer;
import io.stele.gateway.nativeapi.Serving;
import io.stele.testkit.table.MemoryTables;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Two kinds of tables under one set of names, as clients see them over the network. */
@Timeout(30)
@Execution(ExecutionMode.CONCURRENT)
class TableFrontTest {
  private static final TableSchema TABLET = TableSchema.ofFamilies("f");
  private static final TableSchema REPLICATED = TABLET.withReplication(Replication.DEFAULT);

  /** Replicated tables in memory, of which the server knows what it was told to know. */
  private static final class MemoryReplicas implements ReplicatedKind {
    private final MemoryTables tables = new MemoryTables();
    private final Set<String> known = new HashSet<>();
    private boolean serving = true;
    private boolean metastore = true;
    private String address = TabletLocation.HERE;

    @Override
    public boolean has(String table) {
      return known.contains(table);
    }

    @Override
    public boolean look(String table) {
      if (!metastore) {
        throw new UnavailableException("no metastore");
      }
      boolean found = tables.list(false).contains(table);
      if (found) {
        known.add(table);
      } else {
        known.remove(table);
      }
      return found;
    }

    private MemoryTables served() {
      if (!serving) {
        throw new NotServingException("replicas are stopping");
      }
      return tables;
    }

    @Override
    public Tables rows() {
      return served();
    }

    @Override
    public TableAdmin admin() {
      return served();
    }

    @Override
    public TabletLocator locator() {
      MemoryTables _ = served();
      return (table, _, _) -> {
        TableSchema _ = tables.schema(table);
        return List.of(new TabletLocation(Bytes.EMPTY, Optional.empty(), address));
      };
    }
  }

  private final MemoryTables tablets = new MemoryTables();
  private final MemoryReplicas replicas = new MemoryReplicas();
  private final Channels channels = new Channels();
  private final NativeServer gateway = NativeServer.listen("127.0.0.1", 0, channels);
  private final Stele stele = Stele.connect(gateway.address());
  private final Stele impatient =
      Stele.builder().endpoints(gateway.address()).timeout(Duration.ofMillis(300)).connect();

  @AfterEach
  void close() {
    stele.close();
    impatient.close();
    gateway.close();
    channels.close();
  }

  private TableFront front(boolean tabletsExpected) {
    return new TableFront(gateway, Optional.of(replicas), tabletsExpected);
  }

  private String value(String table) {
    return stele.table(table).get("r").orElseThrow().cells().getFirst().value().toUtf8();
  }

  @Test
  void everyTableIsAskedOfThoseWhoHaveIt() {
    TableFront front = front(true);
    var _ = front.serve(tablets, tablets);
    stele.tables().create("t", TABLET, List.of());
    stele.tables().create("u", REPLICATED, List.of());
    assertThat(tablets.list(false)).containsExactly("t");
    assertThat(replicas.tables.list(false)).containsExactly("u");

    stele.table("t").put("r", "f", "x", "of t");
    stele.table("u").put("r", "f", "x", "of u");
    stele.table("u").mutateAll(List.of(RowMutation.of("s").put("f", "x", "2")));
    assertThat(value("t")).isEqualTo("of t");
    assertThat(value("u")).isEqualTo("of u");
    assertThat(stele.table("u").sampleRows()).isNotEmpty();
    assertThat(stele.tables().list(false)).containsExactly("t", "u");
    assertThat(stele.tables().list(true)).contains("META1", "t", "u");
    assertThat(stele.tables().schema("u")).isEqualTo(REPLICATED);
    assertThat(front.rows().sampleRows("u")).isNotEmpty();
    assertThat(front.whole().list(false)).containsExactly("t", "u");
    stele.tables().drop("u");
    assertThat(replicas.tables.list(false)).isEmpty();
    assertThatThrownBy(() -> stele.table("none").get("r")).isInstanceOf(NotFoundException.class);
  }

  @Test
  void aNameHasOneTable() {
    var _ = front(true).serve(tablets, tablets);
    stele.tables().create("t", TABLET, List.of());
    stele.tables().create("u", REPLICATED, List.of());
    assertThatThrownBy(() -> stele.tables().create("t", REPLICATED, List.of()))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("exists already, as a tablet table");
    assertThatThrownBy(() -> stele.tables().create("u", TABLET, List.of()))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("exists already, as a replicated table");
    assertThatThrownBy(() -> stele.tables().create("META1", REPLICATED, List.of()))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("reserved");
  }

  @Test
  void theKindOfATableStaysAsItIs() {
    var _ = front(true).serve(tablets, tablets);
    stele.tables().create("t", TABLET, List.of());
    stele.tables().create("u", REPLICATED, List.of());
    assertThatThrownBy(() -> stele.tables().alter("t", REPLICATED))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("is a tablet table, and the schema is of a replicated table");
    assertThatThrownBy(() -> stele.tables().alter("u", TABLET))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("is a replicated table, and the schema is of a tablet table");
  }

  @Test
  void whatIsKnownIsCorrectedWhenItProvesWrong() {
    var _ = front(true).serve(tablets, tablets);
    replicas.tables.create("late", REPLICATED, List.of()); // by another server
    stele.table("late").put("r", "f", "x", "1");
    assertThat(replicas.known).containsExactly("late");

    replicas.tables.drop("late");
    tablets.create("late", TABLET, List.of());
    stele.table("late").put("r", "f", "x", "2");
    assertThat(replicas.known).isEmpty();
    assertThat(value("late")).isEqualTo("2");
  }

  @Test
  void withoutTheMetastoreWhatIsKnownGoesOn() {
    TableFront front = front(true);
    var _ = front.serve(tablets, tablets);
    stele.tables().create("t", TABLET, List.of());
    stele.tables().create("u", REPLICATED, List.of());
    stele.table("u").put("r", "f", "x", "1");
    replicas.metastore = false;
    stele.table("u").put("r", "f", "x", "2");
    stele.table("t").put("r", "f", "x", "3");
    assertThat(value("u")).isEqualTo("2");
    assertThatThrownBy(() -> front.rows().sampleRows("none"))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("cannot be told: no metastore");
  }

  @Test
  void whileReplicasStopOthersAreToBeAsked() {
    var _ = front(true).serve(tablets, tablets);
    stele.tables().create("u", REPLICATED, List.of());
    stele.table("u").put("r", "f", "x", "1");
    replicas.serving = false;
    assertThatThrownBy(() -> impatient.table("u").get("r"))
        .isInstanceOfAny(NotServingException.class, UnavailableException.class);
  }

  @Test
  void whoAsksForReplicasOfATabletTableIsToldSo() {
    TableFront front = front(true);
    var _ = front.serve(tablets, tablets);
    tablets.create("t", TABLET, List.of());
    Replicas none =
        (Replicas)
            Proxy.newProxyInstance(
                Replicas.class.getClassLoader(),
                new Class<?>[] {Replicas.class},
                (_, _, arguments) -> {
                  throw new NotFoundException("there is no table " + arguments[0]);
                });
    Replicas asked = front.replicas(none);
    for (Consumer<String> each :
        List.<Consumer<String>>of(
            asked::status,
            asked::metadata,
            table -> asked.split(table, Bytes.EMPTY, Bytes.EMPTY),
            table -> asked.verify(table, RowRange.ALL),
            table -> asked.repair(table, RowRange.ALL))) {
      assertThatThrownBy(() -> each.accept("t"))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("table \"t\" is a tablet table, which has one owner");
      assertThatThrownBy(() -> each.accept("none")).isInstanceOf(NotFoundException.class);
    }
  }

  @Test
  void serversWithReplicatedTablesAloneHaveNoOthers() {
    TableFront _ = front(false);
    stele.tables().create("u", REPLICATED, List.of());
    stele.table("u").put("r", "f", "x", "1");
    assertThat(stele.tables().list(true)).containsExactly("u");
    assertThat(stele.tables().verifyMeta("")).isEmpty();
    assertThatThrownBy(() -> stele.table("none").get("r")).isInstanceOf(NotFoundException.class);
    assertThatThrownBy(() -> stele.tables().create("t", TABLET, List.of()))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("the servers here keep replicated tables only");
  }

  @Test
  void tabletsComeAndGoWithoutTheOthers() {
    TableFront front = front(true);
    replicas.tables.create("u", REPLICATED, List.of());
    stele.table("u").put("r", "f", "x", "1");
    assertThatThrownBy(() -> impatient.table("t").get("r"))
        .isInstanceOfAny(NotServingException.class, UnavailableException.class);

    tablets.create("t", TABLET, List.of());
    Serving serving = front.serve(tablets, tablets);
    stele.table("t").put("r", "f", "x", "2");
    serving.close();
    assertThatThrownBy(() -> impatient.table("t").get("r"))
        .isInstanceOfAny(NotServingException.class, UnavailableException.class);
    assertThat(value("u")).isEqualTo("1");
  }

  @Test
  void wholeTabletTablesAreAskedOfTheMaster() {
    TableFront front = front(true);
    front.sendToMaster(() -> Optional.of("127.0.0.1:1"));
    replicas.tables.create("u", REPLICATED, List.of());
    assertThat(front.whole().schema("u")).isEqualTo(REPLICATED);
    for (Runnable each :
        List.<Runnable>of(
            () -> front.whole().list(false),
            () -> front.whole().create("v", REPLICATED, List.of()),
            () -> front.hasTabletTable("v"))) {
      assertThatThrownBy(each::run)
          .isInstanceOfSatisfying(
              NotServingException.class, e -> assertThat(e.hint()).contains("127.0.0.1:1"));
    }
    assertThat(replicas.tables.list(false)).containsExactly("u");
  }

  @Test
  void aReplicatedTableIsWhereItsServersAre() {
    var _ = front(true).serve(tablets, tablets);
    replicas.address = "127.0.0.1:1";
    replicas.tables.create("u", REPLICATED, List.of());
    assertThatThrownBy(() -> impatient.table("u").get("r"))
        .isInstanceOf(UnavailableException.class);
    tablets.create("t", TABLET, List.of());
    assertThat(stele.table("t").get(bytes("r"))).isEmpty();
  }

  @Test
  void withoutReplicatedTablesTheOthersAreAsTheyWere() {
    TableFront front = new TableFront(gateway, Optional.empty(), true);
    Serving serving = front.serve(tablets, tablets);
    stele.tables().create("t", TABLET, List.of());
    stele.table("t").put("r", "f", "x", "1");
    assertThat(front.rows()).isSameAs(tablets);
    serving.close();
    assertThatThrownBy(() -> impatient.table("t").get("r"))
        .isInstanceOfAny(NotServingException.class, UnavailableException.class);
  }
}
