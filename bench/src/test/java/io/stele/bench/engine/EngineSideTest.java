package io.stele.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.stele.bench.engine.Engine.Access;
import io.stele.bench.engine.Engine.Way;
import io.stele.engine.disk.Codec;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What every side must do, and that no side can get away with a wrong answer. */
class EngineSideTest {

  private static final long STORED = 300;
  private static final int CELLS = 50;
  private static final EngineOptions OPTIONS = new EngineOptions(Codec.NONE, 8 << 20);

  @TempDir private Path directory;

  static List<EngineSide> sides() {
    Peer peer = RocksSide.find();
    assertThat(peer).isInstanceOf(Peer.Present.class);
    return List.of(new SteleSide(), ((Peer.Present) peer).side());
  }

  static Stream<Arguments> sidesAndCodecs() {
    return sides().stream()
        .flatMap(side -> Stream.of(Codec.values()).map(codec -> Arguments.of(side, codec)));
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
  @MethodSource("sidesAndCodecs")
  void everyWayFindsWhatWasPut(EngineSide side, Codec codec) throws Exception {
    Records records = new Records(100, STORED);
    EngineOptions options = new EngineOptions(codec, 8 << 20);
    try (Engine engine = side.open(directory, records, options)) {
      fill(engine);
    }
    try (Engine engine = side.open(directory, records, options)) {
      readAll(engine.gets());
      readAll(engine.scans());
      readAll(engine.seeks(CELLS));
    }
  }

  @ParameterizedTest
  @MethodSource("sides")
  void putsThatWaitForTheLogSurviveWithoutAFlush(EngineSide side) throws Exception {
    Records records = new Records(100, STORED);
    try (Engine engine = side.open(directory, records, OPTIONS)) {
      Access puts = engine.puts(true);
      for (long record = 0; record < STORED; record++) {
        puts.to(record);
      }
    }
    try (Engine engine = side.open(directory, records, OPTIONS)) {
      readAll(engine.gets());
    }
  }

  /** The store holds less than the records say. */
  @ParameterizedTest
  @MethodSource("sides")
  void everyWayFindsThatARecordIsMissing(EngineSide side) throws Exception {
    Records records = new Records(100, STORED + 1);
    try (Engine engine = side.open(directory, records, OPTIONS)) {
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
    try (Engine engine = side.open(directory, new Records(96, STORED), OPTIONS)) {
      fill(engine);
    }
    try (Engine engine = side.open(directory, new Records(104, STORED), OPTIONS)) {
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
    try (Engine engine = side.open(directory, new Records(100, STORED), OPTIONS)) {
      for (List<Way> ways : List.of(engine.gets(), engine.scans(), engine.seeks(CELLS))) {
        assertThat(ways).extracting(Way::counts).contains(true);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Codec.class)
  void optionsNameTheCodec(Codec codec) {
    EngineOptions options = new EngineOptions(codec, 0);
    for (EngineSide side : sides()) {
      assertThat(side.options(options)).containsIgnoringCase("codec " + codec.name());
    }
  }
}
