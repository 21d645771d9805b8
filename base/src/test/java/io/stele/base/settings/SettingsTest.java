package io.stele.base.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.error.InvalidRequestException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {
  enum Codec {
    NONE,
    LZ4,
    ZSTD_FAST
  }

  record CacheSettings(ByteSize capacity, double share) {}

  record EngineSettings(
      @About("Bytes of a block before compression.") ByteSize blockSize,
      Duration flushAfter,
      Codec codec,
      int maxOpenFiles,
      long firstTxn,
      boolean verifyChecksums,
      Path directory,
      CacheSettings cache) {
    static final EngineSettings DEFAULTS =
        new EngineSettings(
            ByteSize.ofKiB(64),
            Duration.ofSeconds(5),
            Codec.LZ4,
            100,
            1L << 40,
            true,
            Path.of("data"),
            new CacheSettings(ByteSize.ofMiB(8), 0.75));

    EngineSettings {
      if (blockSize.compareTo(ByteSize.ofKiB(1)) < 0) {
        throw new IllegalArgumentException("a block of " + blockSize + ", at least 1KiB");
      }
    }
  }

  record PeerSettings(List<String> seeds, Optional<Duration> grace) {}

  private static final SettingsSchema SCHEMA =
      SettingsSchema.builder()
          .section("engine", EngineSettings.DEFAULTS)
          .section("peers", new PeerSettings(List.of("a:1", "b:2"), Optional.empty()))
          .otherEnvironment("STELE_JAVA_OPTS")
          .build();

  /** Another value for every key, so that a key that maps to the wrong component shows. */
  private static final Map<String, String> OTHERS =
      Map.ofEntries(
          Map.entry("engine.block-size", "16KiB"),
          Map.entry("engine.flush-after", "250ms"),
          Map.entry("engine.codec", "zstd-fast"),
          Map.entry("engine.max-open-files", "7"),
          Map.entry("engine.first-txn", "9"),
          Map.entry("engine.verify-checksums", "false"),
          Map.entry("engine.directory", "/srv/stele"),
          Map.entry("engine.cache.capacity", "1GiB"),
          Map.entry("engine.cache.share", "0.5"),
          Map.entry("peers.seeds", "c:3"),
          Map.entry("peers.grace", "10m"));

  private static final EngineSettings OTHER_ENGINE =
      new EngineSettings(
          ByteSize.ofKiB(16),
          Duration.ofMillis(250),
          Codec.ZSTD_FAST,
          7,
          9,
          false,
          Path.of("/srv/stele"),
          new CacheSettings(ByteSize.ofGiB(1), 0.5));

  @Test
  void withoutAnyValueTheDefaultsCount() {
    Settings settings = SCHEMA.reader().merge();
    assertThat(engine(settings)).isEqualTo(EngineSettings.DEFAULTS);
    assertThat(settings.values().get("engine.block-size"))
        .hasToString("engine.block-size = 64KiB (default)");
    assertThat(settings.values()).hasSize(11);
  }

  @Test
  void everyKeyMapsToItsComponentFromEverySource() {
    assertThat(SCHEMA.known()).extracting(KnownSetting::key).hasSameElementsAs(OTHERS.keySet());

    String file = lines(OTHERS, " = ", "\n");
    assertOthers(SCHEMA.reader().file("stele.conf", file).merge());
    assertOthers(SCHEMA.reader().flags(List.of(lines(OTHERS, "=", "\n").split("\n"))).merge());
    Map<String, String> variables =
        SCHEMA.known().stream()
            .collect(
                Collectors.toMap(
                    KnownSetting::environment, known -> OTHERS.getOrDefault(known.key(), "")));
    assertOthers(SCHEMA.reader().environment(variables).merge());
  }

  @Test
  void aFlagWinsOverTheEnvironmentAndTheEnvironmentOverTheFile() {
    String file = "engine.max-open-files = 1\nengine.first-txn = 1\nengine.cache.share = 0.1";
    Map<String, String> variables =
        Map.of("STELE_ENGINE_MAX_OPEN_FILES", "2", "STELE_ENGINE_FIRST_TXN", "2");
    List<String> flags = List.of("engine.max-open-files=9", "engine.max-open-files=3");

    List<Settings> inAnyOrder =
        List.of(
            SCHEMA.reader().file("f", file).environment(variables).flags(flags).merge(),
            SCHEMA.reader().flags(flags).environment(variables).file("f", file).merge());
    for (Settings settings : inAnyOrder) {
      assertThat(engine(settings).maxOpenFiles()).isEqualTo(3);
      assertThat(engine(settings).firstTxn()).isEqualTo(2);
      assertThat(engine(settings).cache().share()).isEqualTo(0.1);
      assertThat(engine(settings).codec()).isEqualTo(Codec.LZ4);
      assertThat(settings.values().values())
          .extracting(Setting::toString)
          .contains(
              "engine.max-open-files = 3 (flag --set)",
              "engine.first-txn = 2 (environment STELE_ENGINE_FIRST_TXN)",
              "engine.cache.share = 0.1 (f:3)",
              "engine.codec = lz4 (default)");
    }
  }

  @Test
  void aFileHasCommentsEmptyLinesAndSpaces(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("stele.conf");
    Files.writeString(file, "# all about the engine\r\n\r\n  engine.codec=NONE \r\n   # end");
    Settings settings = SCHEMA.reader().file(file).merge();
    assertThat(engine(settings).codec()).isEqualTo(Codec.NONE);
    assertThat(settings.values().get("engine.codec"))
        .isEqualTo(new Setting("engine.codec", "NONE", new Origin.FileLine(file.toString(), 3)));
    assertThatThrownBy(() -> SCHEMA.reader().file(directory.resolve("none.conf")))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void listsAndOptionalsMayBeEmpty() {
    Settings settings = SCHEMA.reader().file("f", "peers.seeds = \npeers.grace =").merge();
    assertThat(settings.bind(PeerSettings.class, "peers"))
        .isEqualTo(new PeerSettings(List.of(), Optional.empty()));
    Settings two = SCHEMA.reader().flags(List.of("peers.seeds= x:1 ,y:2")).merge();
    assertThat(two.bind(PeerSettings.class, "peers").seeds()).containsExactly("x:1", "y:2");
  }

  @Test
  void anUnknownKeyNamesTheNearestKnownOneAndWhereItStands() {
    assertProblem(
        SCHEMA.reader().file("stele.conf", "\nengine.blok-size = 1KiB"),
        "unknown setting engine.blok-size (stele.conf:2): did you mean engine.block-size?");
    assertProblem(
        SCHEMA.reader().flags(List.of("max-open-files=1")),
        "unknown setting max-open-files (flag --set): did you mean engine.max-open-files?");
    assertProblem(
        SCHEMA.reader().environment(Map.of("STELE_ENGINE_CODEK", "lz4")),
        "unknown variable STELE_ENGINE_CODEK: did you mean STELE_ENGINE_CODEC?");
    assertProblem(
        SCHEMA.reader().flags(List.of("entirely.different=1")),
        "unknown setting entirely.different (flag --set)");
    assertProblem(
        SCHEMA.reader().environment(Map.of("STELE_NONSENSE", "1")),
        "unknown variable STELE_NONSENSE");
  }

  @Test
  void variablesThatAreNotOursAreLeftAlone() {
    Map<String, String> variables = Map.of("PATH", "/bin", "STELE_JAVA_OPTS", "-Xmx1g");
    assertThat(engine(SCHEMA.reader().environment(variables).merge()))
        .isEqualTo(EngineSettings.DEFAULTS);
  }

  @Test
  void aBadValueNamesKeyValueOriginAndForm() {
    assertProblem(
        SCHEMA.reader().file("stele.conf", "engine.block-size = 64KB"),
        "engine.block-size = 64KB (stele.conf:1): expected a size such as 64KiB"
            + " (units B, KiB, MiB, GiB, TiB)");
    assertProblem(
        SCHEMA.reader().flags(List.of("engine.flush-after=5")),
        "engine.flush-after = 5 (flag --set): expected a time such as 5s"
            + " (units ns, us, ms, s, m, h, d)");
    assertProblem(
        SCHEMA.reader().environment(Map.of("STELE_ENGINE_CODEC", "gzip")),
        "engine.codec = gzip (environment STELE_ENGINE_CODEC): expected one of none, lz4,"
            + " zstd-fast");
    assertProblem(
        SCHEMA.reader().flags(List.of("engine.max-open-files=3000000000")),
        "engine.max-open-files = 3000000000 (flag --set): expected a whole number such as 8");
    assertProblem(
        SCHEMA.reader().flags(List.of("engine.first-txn=1.5")),
        "engine.first-txn = 1.5 (flag --set): expected a whole number such as 8");
    assertProblem(
        SCHEMA.reader().flags(List.of("engine.verify-checksums=yes")),
        "engine.verify-checksums = yes (flag --set): expected true or false");
    for (String bad : List.of("NaN", "1d", "1e999", "")) {
      assertProblem(
          SCHEMA.reader().flags(List.of("engine.cache.share=" + bad)),
          "engine.cache.share = " + bad + " (flag --set): expected a number such as 0.75");
    }
    assertProblem(
        SCHEMA.reader().flags(List.of("peers.grace=never")),
        "peers.grace = never (flag --set): expected a time such as 5s"
            + " (units ns, us, ms, s, m, h, d), or nothing");
  }

  @Test
  void aValueThatTheComponentRefusesNamesWhereItWasSet() {
    assertProblem(
        SCHEMA.reader().flags(List.of("engine.block-size=5B")).file("f", "peers.seeds=x"),
        "engine.block-size = 5B (flag --set): a block of 5B, at least 1KiB");
  }

  @Test
  void linesAndFlagsWithoutAKeyOrSetTwiceAreRefused() {
    assertProblem(
        SCHEMA.reader().file("stele.conf", "engine.codec lz4"),
        "stele.conf:1: \"engine.codec lz4\": expected section.key = value");
    assertProblem(
        SCHEMA.reader().file("stele.conf", "= lz4"),
        "stele.conf:1: \"= lz4\": expected section.key = value");
    assertProblem(
        SCHEMA.reader().flags(List.of("engine.codec")),
        "flag --set \"engine.codec\": expected section.key=value");
    assertProblem(
        SCHEMA.reader().file("stele.conf", "engine.codec = lz4\n\nengine.codec = none"),
        "engine.codec is set twice: stele.conf:1 and stele.conf:3");
  }

  @Test
  void allProblemsAreReportedAtOnce() {
    assertProblem(
        SCHEMA.reader().file("f", "nonsense\nengine.codec = x\nengine.cdoec = lz4"),
        """
        3 problems with settings:
          f:1: "nonsense": expected section.key = value
          unknown setting engine.cdoec (f:3): did you mean engine.codec?
          engine.codec = x (f:2): expected one of none, lz4, zstd-fast\
        """);
  }

  @Test
  void theSampleHoldsEveryKeyAtItsDefault() {
    String sample = SCHEMA.sample();
    assertThat(sample)
        .startsWith(
            """
            # Bytes of a block before compression.
            # a size such as 64KiB (units B, KiB, MiB, GiB, TiB); STELE_ENGINE_BLOCK_SIZE
            #engine.block-size = 64KiB

            # a time such as 5s (units ns, us, ms, s, m, h, d); STELE_ENGINE_FLUSH_AFTER
            #engine.flush-after = 5s

            # one of none, lz4, zstd-fast; STELE_ENGINE_CODEC
            #engine.codec = lz4
            """);

    String uncommented = sample.replaceAll("(?m)^#(?=\\S)", "");
    Settings settings = SCHEMA.reader().file("sample", uncommented).merge();
    assertThat(engine(settings)).isEqualTo(EngineSettings.DEFAULTS);
    assertThat(settings.values().values())
        .hasSize(11)
        .allSatisfy(setting -> assertThat(setting.origin()).isInstanceOf(Origin.FileLine.class));
  }

  @Test
  void aSchemaThatCannotWorkIsRefused() {
    SettingsSchema.Builder builder = SettingsSchema.builder();
    CacheSettings cache = EngineSettings.DEFAULTS.cache();
    assertThatThrownBy(() -> builder.section("Engine", cache))
        .hasMessage("settings section \"Engine\": expected lower-case words, as in engine.cache");
    assertThatThrownBy(() -> builder.section("a", cache).section("a", cache))
        .hasMessage("settings section a is there twice");
    assertThatThrownBy(
            () ->
                SettingsSchema.builder()
                    .section("engine", EngineSettings.DEFAULTS)
                    .section("engine.cache", cache)
                    .build())
        .hasMessage("setting engine.cache.capacity is in two sections");
    assertThatThrownBy(
            () -> SettingsSchema.builder().section("a-b", cache).section("a.b", cache).build())
        .hasMessage("settings a-b.capacity and a.b.capacity have one variable, STELE_A_B_CAPACITY");
    record Odd(Thread thread) {}
    assertThatThrownBy(() -> builder.section("odd", new Odd(Thread.currentThread())))
        .hasMessage("setting odd.thread: no form for values of type class java.lang.Thread");
  }

  @Test
  void bindingAnotherSectionThanThereIsIsRefused() {
    Settings settings = SCHEMA.reader().merge();
    assertThatThrownBy(() -> settings.bind(CacheSettings.class, "engine"))
        .hasMessage("no settings section \"engine\" of CacheSettings; there are [engine, peers]");
  }

  private static EngineSettings engine(Settings settings) {
    return settings.bind(EngineSettings.class, "engine");
  }

  private static void assertOthers(Settings settings) {
    assertThat(engine(settings)).isEqualTo(OTHER_ENGINE);
    assertThat(settings.bind(PeerSettings.class, "peers"))
        .isEqualTo(new PeerSettings(List.of("c:3"), Optional.of(Duration.ofMinutes(10))));
  }

  private static void assertProblem(SettingsReader reader, String message) {
    assertThatThrownBy(reader::merge)
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage(message);
  }

  private static String lines(Map<String, String> values, String equals, String end) {
    return values.entrySet().stream()
        .map(entry -> entry.getKey() + equals + entry.getValue())
        .collect(Collectors.joining(end));
  }
}
