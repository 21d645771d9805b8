package io.stele.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.stele.bench.Peer;
import io.stele.bench.engine.Engine.Access;
import io.stele.bench.engine.Engine.Way;
import io.stele.engine.disk.Codec;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What every side must do, and that no side can get away with a wrong answer. */
class EngineSideTest {

  private static final long STORED = 300;
  private static final int CELLS = 50;
  private static final long CACHE = 8 << 20;

  @TempDir private Path directory;

  static List<EngineSide> sides() {
    return sides(Codec.NONE);
  }

  private static List<EngineSide> sides(Codec codec) {
    Peer<EngineSide> peer = RocksSide.find(codec);
    assertThat(peer).isInstanceOf(Peer.Present.class);
    return peer.sides(new SteleSide(codec));
  }

  static Stream<EngineSide> sidesWithAllCodecs() {
    return Stream.of(Codec.values()).flatMap(codec -> sides(codec).stream());
  }

  private static void fill(Engine engine) throws Exception {
    Dataset.fill(engine, STORED);
    engine.flushAndCompact();
  }

  private static void readAll(List<Way> ways) throws Exception {
    for (Way way : ways) {
      try (Access access = way.source().open()) {
        for (long record = 0; record < STORED; record++) {
          access.to(record);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("sidesWithAllCodecs")
  void everyWayFindsWhatWasPut(EngineSide side) throws Exception {
    Records records = new Records(100, STORED);
    try (Engine engine = side.open(directory, records, CACHE)) {
      fill(engine);
    }
    try (Engine engine = side.open(directory, records, CACHE)) {
      readAll(engine.gets());
      readAll(engine.scans());
      readAll(engine.seeks(CELLS));
    }
  }

  @ParameterizedTest
  @MethodSource("sides")
  void putsThatWaitForTheLogSurviveWithoutAFlush(EngineSide side) throws Exception {
    Records records = new Records(100, STORED);
    try (Engine engine = side.open(directory, records, CACHE)) {
      Access puts = engine.puts(true);
      for (long record = 0; record < STORED; record++) {
        puts.to(record);
      }
    }
    try (Engine engine = side.open(directory, records, CACHE)) {
      readAll(engine.gets());
    }
  }

  /** The store holds less than the records say. */
  @ParameterizedTest
  @MethodSource("sides")
  void everyWayFindsThatARecordIsMissing(EngineSide side) throws Exception {
    Records records = new Records(100, STORED + 1);
    try (Engine engine = side.open(directory, records, CACHE)) {
      fill(engine);
      for (List<Way> ways : List.of(engine.gets(), engine.scans(), engine.seeks(CELLS))) {
        assertThat(ways).isNotEmpty();
        for (Way way : ways) {
          try (Access access = way.source().open()) {
            assertThatIllegalStateException().as(way.name()).isThrownBy(() -> access.to(STORED));
          }
        }
      }
    }
  }

  /** The store holds values of another size than the records say. */
  @ParameterizedTest
  @MethodSource("sides")
  void everyGetAndScanFindsAWrongValue(EngineSide side) throws Exception {
    try (Engine engine = side.open(directory, new Records(96, STORED), CACHE)) {
      fill(engine);
    }
    try (Engine engine = side.open(directory, new Records(104, STORED), CACHE)) {
      for (List<Way> ways : List.of(engine.gets(), engine.scans())) {
        for (Way way : ways) {
          try (Access access = way.source().open()) {
            assertThatIllegalStateException().as(way.name()).isThrownBy(() -> access.to(1));
          }
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("sides")
  void eachSideHasAWayThatCounts(EngineSide side) throws Exception {
    try (Engine engine = side.open(directory, new Records(100, STORED), CACHE)) {
      for (List<Way> ways : List.of(engine.gets(), engine.scans(), engine.seeks(CELLS))) {
        assertThat(ways).extracting(Way::counts).contains(true);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Codec.class)
  void factsNameTheCodec(Codec codec) {
    for (EngineSide side : sides(codec)) {
      assertThat(side.facts().get(side.name())).containsIgnoringCase("codec " + codec.name());
    }
  }
}
