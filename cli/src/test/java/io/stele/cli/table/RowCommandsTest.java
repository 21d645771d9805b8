package io.stele.cli.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.bytes.Bytes;
import io.stele.base.schema.TableSchema;
import io.stele.cli.CommandFixture;
import io.stele.cli.CommandFixture.Run;
import io.stele.cli.ExitCode;
import io.stele.client.table.RowMutation;
import io.stele.client.table.Table;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowCommandsTest {
  private final CommandFixture stele = new CommandFixture();

  @TempDir private Path folder;

  @BeforeEach
  void aTable() {
    stele.tables.create("users", TableSchema.ofFamilies("name", "photo"), List.of());
  }

  @AfterEach
  void everyConnectionAndScanIsClosed() {
    assertThat(stele.open()).isZero();
    assertThat(stele.tables.openScans()).isZero();
  }

  private void ada() {
    stele.ok("put", "users", "42", "name:first", "Ada", "name:last", "Lovelace", "--time", "@1000");
    stele.ok("put", "users", "42", "name:first", "Augusta", "--time", "2026-01-02T03:04:05Z");
    stele.ok("put", "users", "7\\x00", "photo:", "hex:00ff", "--time", "@3");
  }

  @Test
  void aRowIsDrawnForPeople() {
    ada();
    assertThat(stele.ok("get", "users", "42"))
        .isEqualTo(
            """
            COLUMN      TIME                  VALUE
            name:first  2026-01-02T03:04:05Z  Augusta
            name:last   @1000                 Lovelace
            """);
    assertThat(stele.ok("get", "users", "42", "name:first", "--history", "2"))
        .isEqualTo(
            """
            COLUMN      TIME                  VALUE
            name:first  2026-01-02T03:04:05Z  Augusta
            name:first  @1000                 Ada
            """);
    assertThat(stele.ok("get", "users", "7\\x00", "photo:", "name:"))
        .isEqualTo(
            """
            COLUMN  TIME  VALUE
            photo:  @3    \\x00\\xff
            """);
  }

  @Test
  void aRowIsWrittenForPrograms() {
    ada();
    assertThat(stele.ok("get", "users", "7\\x00", "--output", "json"))
        .isEqualTo(
            """
            {
              "row": "7\\u0000",
              "cells": [
                {
                  "family": "photo",
                  "qualifier": "",
                  "time": 3,
                  "valueBase64": "AP8="
                }
              ]
            }
            """);
  }

  @Test
  void aScanPrintsTheNewestVersionsOfAllRows() {
    ada();
    assertThat(stele.ok("scan", "users"))
        .isEqualTo(
            """
            ROW    COLUMN      TIME                  VALUE
            42     name:first  2026-01-02T03:04:05Z  Augusta
                   name:last   @1000                 Lovelace
            7\\x00  photo:      @3                    \\x00\\xff
            """);
    assertThat(stele.ok("scan", "users", "--versions", "--limit", "1"))
        .isEqualTo(
            """
            ROW  COLUMN      TIME                  VALUE
            42   name:first  2026-01-02T03:04:05Z  Augusta
                 name:first  @1000                 Ada
                 name:last   @1000                 Lovelace
            """);
    assertThat(stele.ok("scan", "users", "--count")).isEqualTo("2\n");
    assertThat(stele.ok("scan", "users", "--count", "--output", "json"))
        .isEqualTo("{\n  \"rows\": 2\n}\n");
  }

  @Test
  void aScanFollowsItsPredicate() {
    ada();
    assertThat(stele.ok("scan", "users", "column = 'name:first' and time < @2000"))
        .isEqualTo(
            """
            ROW  COLUMN      TIME   VALUE
            42   name:first  @1000  Ada
            """);
    assertThat(stele.ok("scan", "users", "row ~= 'x'")).isEqualTo("ROW  COLUMN  TIME  VALUE\n");
    assertThat(stele.ok("scan", "users", "row = '42' and column ~= 'name:l'", "--output", "json"))
        .isEqualTo(
            "{\"row\": \"42\", \"cells\": [{\"family\": \"name\", \"qualifier\": \"last\","
                + " \"time\": 1000, \"value\": \"Lovelace\"}]}\n");
  }

  @Test
  void aLongScanKeepsItsColumnsApart() {
    Table users = new Table(stele.tables, "users");
    for (int i = 0; i < 600; i++) {
      users.mutate(
          RowMutation.of("row%04d".formatted(i))
              .put(Bytes.utf8("name"), Bytes.utf8("n"), i, Bytes.utf8("v")));
    }
    stele.ok("put", "users", "row9" + "9".repeat(70), "name:n", "v", "--time", "@1");
    List<String> lines = stele.ok("scan", "users").lines().toList();
    assertThat(lines).hasSize(602);
    assertThat(lines.get(1)).isEqualTo("row0000  name:n  @0    v");
    assertThat(lines.get(600)).matches("row0599 {53}  name:n  @599  v");
    assertThat(lines.get(601)).isEqualTo("row9" + "9".repeat(70) + "  name:n  @1    v");
  }

  @Test
  void aPredicateWithAMistakeIsPointedAt() {
    Run run = stele.run("scan", "users", "row == 'a'");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err())
        .isEqualTo(
            """
            stele scan: predicate, character 5: expected one of < <= > >= = ~=, found '=='
              row == 'a'
                  ^
            """);
    assertThat(stele.requests).isEmpty();
  }

  @Test
  void valuesComeFromFilesAndStandardInput() throws Exception {
    Path file = Files.write(folder.resolve("v"), new byte[] {0, 1});
    stele
        .input("typed")
        .ok("put", "users", "1", "photo:a", "@" + file, "photo:b", "-", "--time", "@1");
    assertThat(stele.ok("get", "users", "1"))
        .isEqualTo(
            """
            COLUMN   TIME  VALUE
            photo:a  @1    \\x00\\x01
            photo:b  @1    typed
            """);
  }

  @Test
  void rowsColumnsVersionsAndRangesAreDeleted() {
    ada();
    stele.ok("delete", "users", "42", "name:first", "--time", "2026-01-02T03:04:05Z");
    assertThat(stele.ok("get", "users", "42", "name:first")).contains("Ada\n");
    stele.ok("delete", "users", "42", "name:last");
    assertThat(stele.run("get", "users", "42", "name:last").exitCode())
        .isEqualTo(ExitCode.NOT_FOUND);
    stele.ok("delete", "users", "42", "name:");
    assertThat(stele.run("get", "users", "42").exitCode()).isEqualTo(ExitCode.NOT_FOUND);
    stele.ok("delete", "users", "7\\x00");
    assertThat(stele.ok("scan", "users", "--count")).isEqualTo("0\n");
    for (String row : List.of("a", "b1", "b2", "c", "d")) {
      stele.ok("put", "users", row, "name:n", "v");
    }
    assertThat(stele.ok("delete", "users", "--prefix", "b")).isEqualTo("2\n");
    assertThat(stele.ok("delete", "users", "--from", "c", "--to", "d")).isEqualTo("1\n");
    assertThat(stele.ok("delete", "users", "--to", "b", "--output", "json"))
        .isEqualTo("{\n  \"rows\": 1\n}\n");
    assertThat(stele.ok("scan", "users", "--count")).isEqualTo("1\n");
  }

  @Test
  void countersAndTextsGrow() {
    assertThat(stele.ok("increment", "users", "1", "name:hits")).isEqualTo("1\n");
    assertThat(stele.ok("increment", "users", "1", "name:hits", "--by", "-3")).isEqualTo("-2\n");
    assertThat(stele.ok("increment", "users", "1", "name:hits", "--output", "json"))
        .isEqualTo("{\n  \"value\": -1\n}\n");
    assertThat(stele.ok("append", "users", "1", "name:log", "a")).isEqualTo("a\n");
    assertThat(stele.ok("append", "users", "1", "name:log", "\\n")).isEqualTo("a\\n\n");
    Run run = stele.run("increment", "users", "1", "name:log");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).startsWith("stele increment: value of 2 bytes of name:log");
  }

  @Test
  void whatIsNotThereIsNotFound() {
    Run row = stele.run("get", "users", "1\\x00");
    assertThat(row.exitCode()).isEqualTo(ExitCode.NOT_FOUND);
    assertThat(row.err()).isEqualTo("stele get: table users has no row 1\\x00\n");
    assertThat(stele.run("get", "users", "1", "name:a", "photo:").err())
        .isEqualTo("stele get: table users has no row 1 with a column name:a or photo:\n");
    Run table = stele.run("scan", "nobody");
    assertThat(table.exitCode()).isEqualTo(ExitCode.NOT_FOUND);
    assertThat(table.err()).isEqualTo("stele scan: table \"nobody\": there is none of this name\n");
    Run family = stele.run("put", "users", "1", "nmae:first", "Ada");
    assertThat(family.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(family.err())
        .isEqualTo("stele put: family \"nmae\" is not in the schema of table \"users\"\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " :: ",
      quoteCharacter = '`',
      textBlock =
          """
          put users 1 name:a :: column 'name:a' has no value behind it
          put users 1 name v :: column 'name': must be FAMILY:QUALIFIER, such as name:name
          put users 1 name:a v --time yesterday :: time 'yesterday': must be a time such as 1999-01-02T03:04:05Z, or @ and microseconds
          put users 1 name:a hex:1 :: value 'hex:1': behind hex: must be pairs of hexadecimal digits
          put users 1 name:a @/no/such/file :: there is no file '/no/such/file' to take the value from; a value that starts with @ can be given by -
          put users hex: name:a v :: row 'hex:': a row key has at least one byte
          put users 1 name:a v --time @9223372036854775807 :: timestamp 9223372036854775807 of a PUT: the largest is 9223372036854775806
          get users 1 --history 0 :: history of 0 versions: must be 1 or more, or negative for all but the newest
          get users 1 --raw :: --raw with 0 columns: name the one whose value to write
          scan users --limit -1 :: --limit -1: must not be negative
          delete users :: nothing to delete: give a row, or a range by --from, --to or --prefix; `stele table truncate` deletes all rows
          delete users 1 --prefix a :: row '1' and a range: give a row, or --from, --to or --prefix
          delete users --from b --to a :: --from b --to a is empty: --from must be below --to
          delete users --prefix a --to b :: --prefix with --from or --to: give one or the other
          delete users --prefix= :: --prefix '' is every row: `stele table truncate` deletes all rows
          delete users --from a --time @1 :: --time with a range of rows: it is for columns of a row
          delete users 1 --time @1 :: --time without columns: name those of the version
          delete users 1 name: --time @1 :: --time with the family 'name:': a version is one of a column
          append users 1 name v :: column 'name': must be FAMILY:QUALIFIER, such as name:name
          increment users 1 :q :: column ':q': must be FAMILY:QUALIFIER, such as profile:name
          get users 1 --endpoints a:1 --data x :: --endpoints and --data: a command works on servers or on a directory, give one
          """)
  void aMistakeIsNamedBeforeAnythingIsOpened(String line, String message) {
    String[] words = line.split(" ");
    Run run = stele.run(words);
    assertThat(run.err()).isEqualTo("stele " + words[0] + ": " + message + "\n");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.out()).isEmpty();
    assertThat(stele.requests).isEmpty();
  }

  @Test
  void anOversizedKeyIsRefused() {
    Run run = stele.run("put", "users", "x".repeat(65_536), "name:a", "v");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err())
        .isEqualTo("stele put: row key of 65536 bytes in a PUT: must be 1 to 65535\n");
  }
}
