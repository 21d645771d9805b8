package io.stele.cli.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.UnavailableException;
import io.stele.base.predicate.ReadPredicate;
import io.stele.base.schema.TableSchema;
import io.stele.cli.CommandFixture;
import io.stele.cli.CommandFixture.Run;
import io.stele.cli.ExitCode;
import io.stele.client.table.Row;
import io.stele.client.table.RowMutation;
import io.stele.client.table.RowScan;
import io.stele.client.table.Table;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TransferCommandsTest {
  private final CommandFixture stele = new CommandFixture();

  @TempDir private Path folder;

  @BeforeEach
  void aTable() {
    stele.tables.create("users", TableSchema.ofFamilies("name", "x"), List.of());
  }

  @AfterEach
  void everyConnectionAndScanIsClosed() {
    assertThat(stele.open()).isZero();
    assertThat(stele.tables.openScans()).isZero();
  }

  private String file(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content).toString();
  }

  private Run load(String... options) {
    List<String> words = new ArrayList<>(List.of("load", "users"));
    words.addAll(Arrays.asList(options));
    return stele.run(words.toArray(String[]::new));
  }

  private List<Row> rows(String table) {
    List<Row> rows = new ArrayList<>();
    try (RowScan scan = new Table(stele.tables, table).scan(ReadPredicate.ALL)) {
      for (Optional<Row> row = scan.next(); row.isPresent(); row = scan.next()) {
        rows.add(row.get());
      }
    }
    return rows;
  }

  /** {@code row/column=value}, newest first. */
  private List<String> cells() {
    return rows("users").stream()
        .flatMap(row -> row.cells().stream())
        .map(cell -> cell.row() + "/" + cell.family() + ":" + cell.qualifier() + "=" + cell.value())
        .toList();
  }

  @Test
  void aCsvFileIsLoadedByItsHeader() throws Exception {
    String file =
        file(
            "users.csv",
            """
            id,first,x:y,Full Name,comment
            1,Ada,"a,b","Ada ""the first""
            Lovelace",no
            2,,c\\d,,no

            """);
    Run run =
        load(
            file,
            "--row",
            "id",
            "--family",
            "name",
            "--map",
            "Full Name=x:full",
            "--skip",
            "comment");
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).matches("2 rows \\(4 cells\\) loaded in \\d+\\.\\d s\n");
    assertThat(cells())
        .containsExactly(
            "1/name:first=Ada",
            "1/x:full=Ada \"the first\"\\x0aLovelace",
            "1/x:y=a,b",
            "2/x:y=c\\x5cd");
  }

  @Test
  void aTsvFileWithoutAHeaderAndWithEscapes() throws Exception {
    String file = file("users.tsv", "\ufeff1\ta\\tb\\x00\n2\t\"q\"\r\n");
    assertThat(load(file, "--columns", "row,name:n", "--escaped").err()).isEmpty();
    assertThat(cells()).containsExactly("1/name:n=a\\x09b\\x00", "2/name:n=\"q\"");
  }

  @Test
  void jsonLinesAreLoadedByTheirNames() throws Exception {
    String input =
        """
        {"id": 1, "first": "Ada", "x:list": [1, 2.50, {"a": null}], "none": null}

        {"first": "Bob", "id": "2", "x:flag": true}
        """;
    Run run =
        stele
            .input(input)
            .run(
                "load",
                "users",
                "-",
                "--format",
                "json",
                "--row",
                "id",
                "--family",
                "name",
                "--output",
                "json");
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).contains("\"rows\": 2", "\"cells\": 4", "\"skippedLines\": 0");
    assertThat(cells())
        .containsExactly(
            "1/name:first=Ada",
            "1/x:list=[1, 2.50, {\"a\": null}]",
            "2/name:first=Bob",
            "2/x:flag=true");
  }

  @Test
  void theLaterOfTwoLinesIsTheNewerVersion() throws Exception {
    StringBuilder lines = new StringBuilder("row,name:n\n");
    for (int i = 0; i < 3_000; i++) {
      lines.append("r").append(i % 2).append(",").append(i).append('\n');
    }
    assertThat(load(file("many.csv", lines.toString())).out())
        .startsWith("3,000 rows (3,000 cells) loaded in ");
    assertThat(cells()).as("each line is a version").hasSize(3_000);
    assertThat(stele.ok("get", "users", "r0")).endsWith("2998\n");
    assertThat(stele.ok("get", "users", "r1")).endsWith("2999\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"csv", "tsv", "json"})
  void whatIsExportedIsLoadedAsItWas(String format) {
    Table table = new Table(stele.tables, "users");
    SplittableRandom random = new SplittableRandom(17);
    for (int i = 0; i < 500; i++) {
      RowMutation row = RowMutation.of(bytes(random).concat(Bytes.utf8("r")));
      for (int j = random.nextInt(1, 4); j > 0; j--) {
        row.put(Bytes.utf8("name"), bytes(random), random.nextLong(-5, 1L << 60), bytes(random));
      }
      table.mutate(row);
    }
    table.put("plain", "x", "hex:00", "text, \"quoted\" \\ base64:é\ttab");
    String file = folder.resolve("all." + format).toString();
    assertThat(stele.ok("export", "users", file))
        .matches("[0-9,]+ rows \\([0-9,]+ cells\\) written.*\n");

    stele.tables.create("copy", TableSchema.ofFamilies("name", "x"), List.of());
    stele.ok("load", "copy", file);
    assertThat(values("copy")).isEqualTo(values("users"));
    stele.ok("load", "copy", file); // again: nothing changes
    assertThat(values("copy")).isEqualTo(values("users"));
  }

  /** All cells, without the transactions that wrote them. */
  private List<String> values(String table) {
    return rows(table).stream()
        .flatMap(row -> row.cells().stream())
        .map(cell -> cell.withTxn(0).toString() + cell.value())
        .toList();
  }

  private static Bytes bytes(SplittableRandom random) {
    byte[] bytes = new byte[random.nextInt(6)];
    for (int i = 0; i < bytes.length; i++) {
      byte[] likely = {'a', ',', '"', '\n', '\r', '\t', '\\', ':', 0, (byte) 0xff, ' ', '\''};
      bytes[i] = likely[random.nextInt(likely.length)];
    }
    return Bytes.wrap(bytes);
  }

  @Test
  void anExportFollowsItsPredicateAndGoesToStandardOutput() {
    stele.ok("put", "users", "1", "name:a", "v,1", "--time", "@5");
    stele.ok("put", "users", "2", "name:a", "v2", "x:y", "v3", "--time", "@6");
    assertThat(stele.ok("export", "users", "-", "--format", "csv"))
        .isEqualTo(
            """
            row,column,time,value
            1,name:a,@5,"v,1"
            2,name:a,@6,v2
            2,x:y,@6,v3
            """);
    assertThat(stele.ok("export", "users", "-", "column ~= 'x:'", "--format", "tsv"))
        .isEqualTo("row\tcolumn\ttime\tvalue\n2\tx:y\t@6\tv3\n");
    assertThat(stele.ok("export", "users", "-", "row = '1'", "--format", "json"))
        .isEqualTo(
            "{\"row\": \"1\", \"cells\": [{\"family\": \"name\", \"qualifier\": \"a\", \"time\": 5,"
                + " \"value\": \"v,1\"}]}\n");
  }

  @Test
  void aFailedExportLeavesNoFile() {
    Run run = stele.run("export", "none", folder.resolve("none.csv").toString());
    assertThat(run.exitCode()).isEqualTo(ExitCode.NOT_FOUND);
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aBadLineStopsALoadOrIsSkipped() throws Exception {
    String file =
        file(
            "bad.csv",
            """
            row,name:n
            1,a
            2
            3,c
            ,d
            "5"x,e
            6,f
            """);
    Run stopped = load(file);
    assertThat(stopped.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(stopped.err())
        .isEqualTo(
            """
            stele load: line 3: 1 fields, expected 2: row, name:n
            The 1 row before it is loaded.
            """);
    assertThat(cells()).containsExactly("1/name:n=a");

    Run skipped = load(file, "--on-error", "skip");
    assertThat(skipped.exitCode()).isEqualTo(ExitCode.OK);
    assertThat(skipped.err())
        .isEqualTo(
            """
            line 3: 1 fields, expected 2: row, name:n
            line 5: field 'row', the row's key, is empty
            line 6: character 4: a field goes on behind its quotes
            """);
    assertThat(skipped.out()).contains("3 rows (3 cells)").endsWith("; 3 lines left out\n");
  }

  @Test
  void manyBadLinesAreCounted() throws Exception {
    Run run = load(file("bad.json", "x\n".repeat(100)), "--on-error", "skip");
    assertThat(run.err().lines()).hasSize(21).last().isEqualTo("... and 80 more");
    assertThat(run.out()).startsWith("0 rows (0 cells)").endsWith("; 100 lines left out\n");
  }

  @Test
  void aLineThatIsNotUtf8IsNamed() throws Exception {
    Path file = folder.resolve("latin.csv");
    Files.write(file, "row,name:n\n1,\u00e9\n2,b\n".getBytes(StandardCharsets.ISO_8859_1));
    Run run = load(file.toString(), "--on-error", "skip");
    assertThat(run.err()).isEqualTo("line 2: the line is not UTF-8\n");
    assertThat(cells()).containsExactly("2/name:n=b");
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " :: ",
      quoteCharacter = '`',
      textBlock =
          """
          csv :: `` :: line 1: no header: the file is empty
          csv :: id,name:n :: line 1: no field 'row' for the row's key among id, name:n: give --row NAME
          csv :: row,first :: line 1: field 'first' is no FAMILY:QUALIFIER: give --family, --map 'first=FAMILY:QUALIFIER' or --skip 'first'
          csv :: row,"a :: line 1: a quote is not closed
          csv :: row,a"b :: line 1: character 6: a quote within a field; quote the whole field and double it
          csv :: row,name:n|1,a,b :: line 2: 3 fields, expected 2: row, name:n
          csv :: row,nope:n|1,a :: line 2: family 'nope' is not one of table users, which has name, x
          csv :: row,column,time,value|1,name,@5,v :: line 2: column 'name': must be FAMILY:QUALIFIER
          csv :: row,column,time,value|1,name:n,5,v :: line 2: time '5': must be a time such as 1999-01-02T03:04:05Z, or @ and microseconds
          csv :: row,column,time,value|1,name:n,@5,\\q :: line 2: value '\\q' at character 1: there are the escapes
          csv :: row,column,time,value|,name:n,@5,v :: line 2: row key of 0 bytes in a PUT: must be 1 to 65535
          json :: [] :: line 1: must be a JSON object, such as {"row": "42", ...}
          json :: {"row": 1 :: line 1: JSON, character 10: it ends too early
          json :: {"name:n": 1} :: line 1: no field 'row' for the row's key among name:n: give --row NAME
          json :: {"row": null} :: line 1: field 'row', the row's key, is empty
          json :: {"row": "1", "first": 2} :: line 1: field 'first' is no FAMILY:QUALIFIER
          json :: {"row": 1, "cells": []} :: line 1: no "row" that is a text, and no "rowBase64"
          json :: {"row": "1", "cells": [1]} :: line 1: "cells" must be objects with family and qualifier
          json :: {"row": "1", "cells": [{"family": "name", "qualifier": "n", "value": "v"}]} :: line 1: no "time" that is a number of microseconds
          json :: {"row": "1", "cells": [{"family": "name", "qualifier": "n", "time": 1.5, "value": "v"}]} :: line 1: "time" 1.5 is no whole number
          json :: {"rowBase64": "*", "cells": []} :: line 1: "rowBase64" is not base 64
          """)
  void aWrongFileIsNamedByItsLine(String format, String content, String message) throws Exception {
    Run run = load(file("wrong." + format, content.replace("|", "\n")));
    assertThat(run.err()).startsWith("stele load: " + message);
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(cells()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " :: ",
      quoteCharacter = '`',
      textBlock =
          """
          load users nosuch.csv :: there is no file 'nosuch.csv' to load
          load users data :: file 'data' does not say its format by its name: give --format csv, tsv, json
          load users - :: file '-' does not say its format by its name: give --format csv, tsv, json
          load users a.csv --format xml :: --format 'xml': must be csv, tsv, json
          load users a.csv --on-error ask :: --on-error 'ask': must be stop or skip
          load users a.csv --map x :: --map 'x': must be NAME=FAMILY:QUALIFIER
          load users a.csv --map x=y :: column 'y': must be FAMILY:QUALIFIER, such as y:name
          load users a.json --columns a,b :: --columns with JSON lines: they name their fields
          export users a.txt :: file 'a.txt' does not say its format by its name: give --format csv, tsv, json
          export users /no/such/folder/a.csv :: there is no directory '/no/such/folder' to put the file in
          export users a.csv row :: predicate, character 4: expected one of < <= > >= = ~=, found the end
          export users - --format csv --output json :: file '-' with --output json: both are standard output
          """)
  void aWrongArgumentIsNamedBeforeAnythingIsOpened(String line, String message) {
    String[] words = line.split(" ");
    Run run = stele.run(words);
    assertThat(run.err()).startsWith("stele " + words[0] + ": " + message + "\n");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(stele.requests).isEmpty();
  }

  @Test
  void anExistingFileIsNotTouched() throws Exception {
    String file = file("there.csv", "mine");
    Run run = stele.run("export", "users", file);
    assertThat(run.err())
        .isEqualTo("stele export: file '" + file + "' exists: name one that does not\n");
    assertThat(Path.of(file)).hasContent("mine");
  }

  @Test
  void aServerThatFailsEndsTheLoadWithItsOwnCode() throws Exception {
    stele.tables.onCall(
        operation -> {
          if (operation.equals("applyRows")) {
            throw new UnavailableException("nobody is there");
          }
        });
    Run run = load(file("a.csv", "row,name:n\n1,a\n"));
    assertThat(run.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(run.err())
        .isEqualTo(
            """
            Not all rows up to line 2 are loaded; the same load can be repeated.
            stele load: nobody is there
            """);
    assertThatThrownBy(() -> stele.tables.applyRows("users", List.of()).join())
        .hasCauseInstanceOf(UnavailableException.class);
  }
}
