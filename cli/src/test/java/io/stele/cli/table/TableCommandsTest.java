package io.stele.cli.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.schema.Compression;
import io.stele.base.schema.GroupSchema;
import io.stele.base.schema.Replication;
import io.stele.base.schema.TableSchema;
import io.stele.base.table.MetaProblem;
import io.stele.base.table.TableAdmin;
import io.stele.base.table.TabletInfo;
import io.stele.base.table.TabletInfo.FileInfo;
import io.stele.cli.CommandFixture;
import io.stele.cli.CommandFixture.Run;
import io.stele.cli.ExitCode;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableCommandsTest {
  private final CommandFixture stele = new CommandFixture();

  @AfterEach
  void everyConnectionIsClosed() {
    assertThat(stele.open()).isZero();
  }

  /** Tables in memory, but for some answers. */
  private void answering(Map<String, Object> answers) {
    stele.admin(
        (TableAdmin)
            Proxy.newProxyInstance(
                TableAdmin.class.getClassLoader(),
                new Class<?>[] {TableAdmin.class},
                (_, method, arguments) -> {
                  if (answers.containsKey(method.getName())) {
                    return answers.get(method.getName());
                  }
                  try {
                    return method.invoke(stele.tables, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                }));
  }

  @Test
  void aTableIsMadeWithItsSchemaAndSplits() {
    assertThat(stele.ok("table", "create", "plain", "--family", "a,b", "--family", "c"))
        .isEqualTo("table plain made, with 1 tablet\n");
    assertThat(stele.tables.schema("plain")).isEqualTo(TableSchema.ofFamilies("a", "b", "c"));

    assertThat(
            stele.ok(
                "table",
                "create",
                "pages",
                "--group",
                "meta=title,links",
                "--group",
                "rest=*",
                "--with",
                "meta.purge=max-age=7d or max-history=2",
                "--with",
                "rest.in-memory=true",
                "--with",
                "meta.compression=zstd",
                "--with",
                "meta.block-size=64KiB",
                "--split",
                "m",
                "--split",
                "c\\x00"))
        .isEqualTo("table pages made, with 3 tablets\n");
    assertThat(stele.tables.tablets("pages").getFirst().last()).contains(Bytes.utf8("c\0"));
    GroupSchema meta = stele.tables.schema("pages").group("meta").orElseThrow();
    assertThat(meta.purge()).hasToString("max-age=604800000000 or max-history=2");
    assertThat(meta.compression()).isEqualTo(Compression.ZSTD);
    assertThat(meta.blockSize()).isEqualTo(65_536);
    assertThat(stele.tables.schema("pages").group("rest").orElseThrow().inMemory()).isTrue();

    assertThat(stele.ok("table", "describe", "pages"))
        .isEqualTo(
            """
            GROUP  FAMILIES     PURGE                        COMPRESSION  BLOCK SIZE  IN MEMORY
            meta   links,title  max-age=7d or max-history=2  zstd              64KiB  no
            rest   *            none                         none               8KiB  yes

            AFTER  UP TO  STATE   SERVER    MEMORY  ON DISK  FILES
            -      c\\x00  active  memory:0     0 B      0 B      0
            c\\x00  m      active  memory:0     0 B      0 B      0
            m      -      active  memory:0     0 B      0 B      0
            """);
    assertThat(stele.ok("table", "list"))
        .isEqualTo(
            """
            TABLE  KIND    FAMILIES       TABLETS  MEMORY  ON DISK
            pages  tablet  links,title,*        3     0 B      0 B
            plain  tablet  a,b,c                1     0 B      0 B
            """);
    assertThat(stele.ok("table", "list", "--all", "--output", "json"))
        .contains("\"table\": \"pages\"", "\"tablets\": 3");
  }

  /** A tablet of the table t, whose two tablets share a file and their server's memory. */
  private static TabletInfo half(Bytes first, Optional<Bytes> last, FileInfo... more) {
    List<FileInfo> files = new ArrayList<>(List.of(more));
    files.add(new FileInfo("default", "shared", 4096, List.of()));
    long bytes = files.stream().mapToLong(FileInfo::bytes).sum();
    return new TabletInfo("t", first, last, 5, "active", "h:1", 2048, bytes, files);
  }

  @Test
  void whatTabletsShareIsCountedOnce() {
    stele.ok("table", "create", "t", "--family", "f");
    Bytes middle = Bytes.utf8("m");
    FileInfo own = new FileInfo("default", "own", 1024, List.of());
    answering(
        Map.of(
            "tablets",
            List.of(half(Bytes.EMPTY, Optional.of(middle)), half(middle, Optional.empty(), own))));

    assertThat(stele.ok("table", "ls"))
        .isEqualTo(
            """
            TABLE  KIND    FAMILIES  TABLETS    MEMORY   ON DISK
            t      tablet  f               2  2.00 KiB  5.00 KiB
            """);
  }

  @Test
  void aReplicatedTableSaysHowItIsKept() {
    assertThat(stele.ok("table", "create", "t", "--family", "f", "--kind", "replicated"))
        .isEqualTo("table t made, with 1 partition of 3 replicas\n");
    assertThat(stele.tables.schema("t").replication()).contains(Replication.DEFAULT);
    assertThat(
            stele.ok(
                "table",
                "create",
                "events",
                "--family",
                "*",
                "--kind",
                "replicated",
                "--replicas",
                "5",
                "--erasure-grace",
                "2h",
                "--split-size",
                "64MiB",
                "--output",
                "json"))
        .contains("\"kind\": \"replicated\"", "\"replicas\": 5", "\"partitions\": 1");
    assertThat(stele.ok("table", "describe", "events"))
        .startsWith(
            """
            replicated: 5 replicas, deletions remembered for 2h, partitions split at 64MiB

            GROUP    FAMILIES
            """
                .strip());
    assertThat(stele.ok("table", "describe", "events", "--output", "json"))
        .contains("\"kind\": \"replicated\"", "\"erasureGrace\": \"2h\"");
    stele.ok(
        "table", "alter", "events", "--with", "default.compression=zstd", "--split-size", "0B");
    assertThat(stele.tables.schema("events").replication())
        .contains(Replication.of(5).withErasureGrace(Duration.ofHours(2)).withSplitBytes(0));
    stele.ok("table", "alter", "events", "--replicas", "2");
    assertThat(stele.tables.schema("events").replication().orElseThrow().replicas()).isEqualTo(2);
    assertThat(stele.ok("table", "list")).contains("events  replicated  *");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          table create t --family f --kind copied                          | --kind 'copied': must be tablet or replicated
          table create t --family f --replicas 3                           | --replicas with a tablet table: give --kind replicated as well
          table create t --family f --split-size 1MiB                      | --split-size with a tablet table: give --kind replicated as well
          table create t --family f --kind replicated --replicas 0         | 0 replicas: must be 1 to 15
          table create t --family f --kind replicated --erasure-grace soon | --erasure-grace 'soon':
          table create t --family f --kind replicated --split-size 1MiB    | --split-size '1MiB': must be at least 4MiB, or 0B for never
          put t r f:x 1 --acks most                                        | option '--acks': 'most' is not one of one, majority, all
          get t r --reads all                                              | option '--reads': 'all' is not one of one, majority
          """)
  void levelsAndKindsThatThereAreNotAreNamed(String words, String message) {
    CommandFixture.Run run = stele.run(words.split(" +"));
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains(message);
  }

  @Test
  void aTabletTableHasNoLevels() {
    stele.ok("table", "create", "t", "--family", "f");
    CommandFixture.Run run = stele.run("put", "t", "r", "f:x", "1", "--acks", "all");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("a tablet table has one owner, and no levels");
    run = stele.run("table", "alter", "t", "--split-size", "1MiB");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains("--split-size: table t is a tablet table, and has no replicas");
  }

  @Test
  void programsGetAllOfATablet() {
    answering(
        Map.of(
            "schema",
            TableSchema.ofFamilies("f"),
            "tablets",
            List.of(
                new TabletInfo(
                    "t",
                    Bytes.utf8("a"),
                    Optional.of(Bytes.of((byte) 0xff)),
                    5,
                    "ACTIVE",
                    "10.0.0.7:7835",
                    1_500,
                    3_000_000,
                    List.of(new TabletInfo.FileInfo("default", "t/1", 3_000_000, List.of("f")))))));
    assertThat(stele.ok("table", "describe", "t"))
        .endsWith(
            """
            AFTER  UP TO  STATE   SERVER           MEMORY   ON DISK  FILES
            a      \\xff   active  10.0.0.7:7835  1.46 KiB  2.86 MiB      1
            """);
    assertThat(stele.ok("meta", "ls", "t", "--output", "json"))
        .isEqualTo(
            """
            [
              {
                "table": "t",
                "after": "a",
                "upToBase64": "/w==",
                "state": 5,
                "stateName": "ACTIVE",
                "server": "10.0.0.7:7835",
                "memoryBytes": 1500,
                "fileBytes": 3000000,
                "files": [
                  {
                    "group": "default",
                    "path": "t/1",
                    "bytes": 3000000,
                    "families": [
                      "f"
                    ]
                  }
                ]
              }
            ]
            """);
  }

  @Test
  void aSchemaIsChanged() {
    stele.ok("table", "create", "t", "--family", "a,b");
    assertThat(stele.ok("table", "alter", "t", "--add", "big=b,c", "--with", "big.compression=lz4"))
        .isEqualTo(
            """
            GROUP    FAMILIES  PURGE  COMPRESSION  BLOCK SIZE  IN MEMORY
            big      b,c       none   lz4                8KiB  no
            default  a         none   none               8KiB  no
            """);
    stele.ok("table", "alter", "t", "--remove", "a,c");
    assertThat(stele.tables.schema("t").groups())
        .extracting(GroupSchema::name)
        .containsExactly("big");
    stele.ok("table", "alter", "t", "--add", "other=*");
    stele.ok("table", "alter", "t", "--remove", "*");
    assertThat(stele.tables.schema("t").groups()).hasSize(1);
  }

  @Test
  void whatCannotBeUndoneIsAskedFirst() {
    stele.ok("table", "create", "t", "--family", "a");
    stele.ok("put", "t", "1", "a:b", "v");
    Run nobody = stele.run("table", "drop", "t");
    assertThat(nobody.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(nobody.err())
        .isEqualTo(
            "stele table drop: Drop table t and all its rows? Nobody is here to ask: give"
                + " --yes.\n");
    Run refused = stele.answer("no").run("table", "truncate", "t");
    assertThat(refused.exitCode()).isEqualTo(ExitCode.FAILURE);
    assertThat(refused.err()).isEqualTo("Nothing was done.\n");
    assertThat(stele.ok("scan", "t", "--count")).isEqualTo("1\n");

    assertThat(stele.answer("yes").ok("table", "truncate", "t")).isEqualTo("table t emptied\n");
    assertThat(stele.ok("scan", "t", "--count")).isEqualTo("0\n");
    assertThat(stele.ok("table", "drop", "t", "--yes")).isEqualTo("table t dropped\n");
    assertThat(stele.run("table", "drop", "t", "--yes").exitCode()).isEqualTo(ExitCode.NOT_FOUND);
  }

  @Test
  void aTableIsCopied() {
    stele.ok("table", "create", "t", "--family", "a");
    stele.ok("put", "t", "1", "a:b", "v");
    assertThat(stele.ok("table", "copy", "t", "u")).isEqualTo("table t copied to u\n");
    stele.ok("put", "t", "2", "a:b", "v");
    assertThat(stele.ok("scan", "u", "--count")).isEqualTo("1\n");
    assertThat(stele.run("table", "copy", "t", "u").exitCode()).isEqualTo(ExitCode.CONFLICT);
    assertThat(stele.run("table", "copy", "none", "v").exitCode()).isEqualTo(ExitCode.NOT_FOUND);
  }

  @Test
  void tabletsAreSplitAndJoined() {
    stele.ok("table", "create", "t", "--family", "a");
    for (String row : List.of("a", "b", "c", "d")) {
      stele.ok("put", "t", row, "a:b", "v");
    }
    assertThat(stele.ok("table", "split", "t")).isEqualTo("b\n");
    assertThat(stele.ok("table", "split", "t", "c")).isEqualTo("c\n");
    assertThat(stele.ok("table", "split", "t", "--tablet", "a", "--output", "json"))
        .isEqualTo("{\n  \"row\": \"a\"\n}\n");
    assertThat(stele.ok("table", "join", "t", "c")).isEqualTo("table t has 3 tablets now\n");
    assertThat(stele.run("table", "join", "t", "z").exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(stele.ok("table", "flush", "t")).isEqualTo("table t flushed\n");
    assertThat(stele.ok("table", "compact", "t")).isEqualTo("table t compacted\n");
    assertThat(stele.ok("table", "unload", "t")).isEqualTo("table t is not served any more\n");
    Run unloaded = stele.run("get", "t", "a");
    assertThat(unloaded.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(stele.ok("table", "serve", "t")).isEqualTo("table t is served\n");
    assertThat(stele.run("table", "serve", "t", "--config", "x").exitCode())
        .isEqualTo(ExitCode.NOT_FOUND);
  }

  @Test
  void metaIsListedVerifiedAndRepaired() {
    stele.ok("table", "create", "t", "--family", "a", "--split", "m");
    assertThat(stele.ok("meta", "ls"))
        .isEqualTo(
            """
            TABLE  AFTER  UP TO  STATE   SERVER    FILES
            t      -      m      active  memory:0      0
            t      m      -      active  memory:0      0
            """);
    assertThat(stele.ok("meta", "verify")).isEqualTo("nothing is wrong\n");
    assertThat(stele.ok("meta", "repair", "t")).isEqualTo("nothing is wrong\n");
    assertThat(stele.run("meta", "verify", "x").exitCode()).isEqualTo(ExitCode.NOT_FOUND);
    stele.ok("meta", "locate", "10.0.0.7:7835");
    assertThat(stele.tables.metaLocation()).isEqualTo("10.0.0.7:7835");

    MetaProblem gap =
        new MetaProblem(
            MetaProblem.Kind.GAP, "t", Bytes.utf8("m"), "rows from a to m", "lower the row", false);
    MetaProblem missing =
        new MetaProblem(
            MetaProblem.Kind.FILE_MISSING, "t", Bytes.utf8("z"), "no file t/9", "", false);
    MetaProblem repaired =
        new MetaProblem(
            MetaProblem.Kind.GAP, "t", Bytes.utf8("m"), "rows from a to m", "lower the row", true);
    answering(
        Map.of("verifyMeta", List.of(gap, missing), "repairMeta", List.of(repaired, missing)));
    Run verify = stele.run("meta", "verify");
    assertThat(verify.exitCode()).isEqualTo(ExitCode.FAILURE);
    assertThat(verify.out())
        .isEqualTo(
            """
            TABLE  PROBLEM       AT  FOUND             REPAIR
            t      gap           m   rows from a to m  lower the row
            t      file missing  z   no file t/9       none: you decide
            """);
    Run repair = stele.run("meta", "repair");
    assertThat(repair.exitCode()).isEqualTo(ExitCode.FAILURE);
    assertThat(repair.out()).contains("done: lower the row");
    answering(Map.of("repairMeta", List.of(repaired)));
    assertThat(stele.ok("meta", "repair", "--output", "json")).contains("\"repaired\": true");
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " :: ",
      quoteCharacter = '`',
      textBlock =
          """
          create t :: table 't' without families: give --family NAME, or --group GROUP=FAMILY; --family '*' takes any
          create t --family a,,b :: --family 'a,,b': must be names with commas between
          create t --family a:b :: family name "a:b" at character 2: must have no colon, asterisk, space or control character
          create t --group g :: --group 'g': must be GROUP=FAMILY,FAMILY, such as profile=name,address
          create t --group g= :: --group '': must be names with commas between
          create t --family a --group g=a :: family "a" is in the groups "default" and "g": must be in one
          create t --family * --group g=* :: groups "default" and "g" both have the wildcard: at most one may
          create t --family a --with x :: --with 'x': must be GROUP.KEY=VALUE, such as default.compression=zstd
          create t --family a --with g.purge=none :: --with 'g.purge=none': there is no group 'g'; there are: default
          create t --family a --with default.compresion=lz4 :: --with 'default.compresion=lz4': 'compresion' is none of purge, compression, block-size, in-memory; did you mean 'compression'?
          create t --family a --with default.compression=gzip :: --with 'default.compression=gzip': compression "gzip": must be none, lz4, zstd, snappy
          create t --family a --with default.block-size=1 :: --with 'default.block-size=1': "1" is not a size such as 64KiB (units B, KiB, MiB, GiB, TiB)
          create t --family a --with default.in-memory=maybe :: --with 'default.in-memory=maybe': 'maybe' is neither true nor false
          create t --family a --with default.purge=max-age=1w :: --with 'default.purge=max-age=1w': "1w" is not a time such as 5s (units ns, us, ms, s, m, h, d)
          create t --family a --with default.purge=max-agee=7d :: --with 'default.purge=max-agee=7d': purge policy "max-agee=7d": "max-agee=7d" is not max-history=COUNT, max-age=AGE or none
          create t --family a --with default.purge=max-history=0 :: --with 'default.purge=max-history=0': max-history=0: must be at least 1
          create t --family a --split \\q :: row '\\q' at character 1: there are the escapes \\n \\t \\r \\\\ and \\xHH; put text: in front to take it as it is
          create known --family a :: table "known" exists
          alter known :: nothing to change: give --add, --remove or --with
          alter known --remove x :: --remove 'x': table known has no such family
          alter known --remove a,b :: --remove 'b': it is the last family of table known; add another first, or drop the table
          alter none --remove x :: table "none": there is none of this name
          split known a --tablet b :: row 'a' and --tablet 'b': a row says which tablet to split, give one
          split known :: tablet of row  of table "known" has no row to split at
          """)
  void aMistakeIsNamed(String line, String message) {
    stele.tables.create("known", TableSchema.ofFamilies("a", "b"), List.of());
    String[] words = ("table " + line).split(" ");
    Run run = stele.run(words);
    assertThat(run.err()).startsWith("stele table " + words[1] + ": " + message);
    assertThat(run.exitCode()).isIn(ExitCode.USAGE, ExitCode.CONFLICT, ExitCode.NOT_FOUND);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void withoutASubcommandThereIsHelpButNoSuccess() {
    for (String command : List.of("table", "meta")) {
      Run run = stele.run(command);
      assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
      assertThat(run.err()).contains("Usage: stele " + command + " ", "Commands:");
    }
  }
}
