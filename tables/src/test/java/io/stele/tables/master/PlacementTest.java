package io.stele.tables.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.time.RandomSource;
import io.stele.tables.master.Placement.Homeless;
import io.stele.tables.master.Placement.Room;
import io.stele.tables.meta.TabletKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class PlacementTest {
  private static LiveServer server(String name) {
    return new LiveServer(name, name + ":1");
  }

  private static Room room(String name, int tablets) {
    return new Room(server(name), tablets, false, false);
  }

  private static List<Homeless> homeless(String kin, int count) {
    List<Homeless> tablets = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Bytes last = Bytes.utf8("%s-%04d".formatted(kin, i));
      tablets.add(new Homeless(new TabletKey("t", Optional.of(last)), kin, Map.of()));
    }
    return tablets;
  }

  private static int placed(Map<LiveServer, List<TabletKey>> places, String name) {
    return places.getOrDefault(server(name), List.of()).size();
  }

  @Test
  void withoutServersNothingIsPlaced() {
    assertThat(Placement.place(homeless("x", 3), List.of())).isEmpty();
  }

  @Test
  void tabletsGoWhereThereAreFewest() {
    var places =
        Placement.place(homeless("x", 6), List.of(room("a", 10), room("b", 8), room("c", 6)));
    assertThat(placed(places, "a")).isZero();
    assertThat(placed(places, "b")).isEqualTo(2);
    assertThat(placed(places, "c")).isEqualTo(4);
  }

  @Test
  void whatOneServerHadIsSpreadThoughAnotherIsEmpty() {
    var places =
        Placement.place(homeless("x", 30), List.of(room("a", 100), room("b", 100), room("c", 0)));
    assertThat(placed(places, "c")).isEqualTo(20);
    assertThat(placed(places, "a")).isEqualTo(5);
    assertThat(placed(places, "b")).isEqualTo(5);
  }

  @Test
  void drainingServersGetNothingWhileThereAreOthers() {
    Room draining = new Room(server("a"), 0, true, false);
    assertThat(placed(Placement.place(homeless("x", 4), List.of(draining, room("b", 9))), "b"))
        .isEqualTo(4);
    assertThat(placed(Placement.place(homeless("x", 4), List.of(draining)), "a")).isEqualTo(4);
  }

  @Test
  void serversThatFailedGetNothingWhileThereAreOthersThatStay() {
    Room suspect = new Room(server("a"), 0, false, true);
    Room draining = new Room(server("c"), 0, true, false);
    assertThat(placed(Placement.place(homeless("x", 4), List.of(suspect, room("b", 9))), "b"))
        .isEqualTo(4);
    assertThat(placed(Placement.place(homeless("x", 4), List.of(suspect, draining)), "a"))
        .isEqualTo(4);
  }

  @Test
  void aTabletThatAServerCouldNotLoadGoesToAnother() {
    TabletKey tablet = new TabletKey("t", Optional.empty());
    List<Room> rooms = List.of(room("a", 0), room("b", 9));
    var after = Placement.place(List.of(new Homeless(tablet, "x", Map.of(server("a"), 1))), rooms);
    assertThat(placed(after, "b")).isEqualTo(1);
    var later =
        Placement.place(
            List.of(new Homeless(tablet, "x", Map.of(server("a"), 1, server("b"), 2))), rooms);
    assertThat(placed(later, "a")).isEqualTo(1);
  }

  @Test
  void everyTabletIsPlacedOnceAndNoServerGetsMoreThanTwiceItsShareOfKin() {
    RandomGenerator random = RandomSource.seeded(5);
    for (int round = 0; round < 300; round++) {
      List<Room> rooms = new ArrayList<>();
      int servers = 1 + random.nextInt(9);
      for (int i = 0; i < servers; i++) {
        rooms.add(room("s" + i, random.nextInt(200)));
      }
      List<Homeless> tablets = new ArrayList<>();
      int kin = 1 + random.nextInt(4);
      for (int i = 0; i < kin; i++) {
        tablets.addAll(homeless("k" + i, random.nextInt(60)));
      }
      var places = Placement.place(tablets, rooms);
      List<TabletKey> all = places.values().stream().flatMap(List::stream).toList();
      assertThat(all).hasSize(tablets.size());
      assertThat(new HashSet<>(all)).hasSize(tablets.size());
      for (int i = 0; i < kin; i++) {
        String name = "k" + i;
        List<TabletKey> ofKin =
            tablets.stream().filter(each -> each.kin().equals(name)).map(Homeless::tablet).toList();
        int share = Math.ceilDiv(ofKin.size(), servers);
        places
            .values()
            .forEach(
                each ->
                    assertThat(each.stream().filter(ofKin::contains).count())
                        .isLessThanOrEqualTo(2L * share));
      }
    }
  }
}
