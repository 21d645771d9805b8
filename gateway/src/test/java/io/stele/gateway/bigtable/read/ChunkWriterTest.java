package io.stele.gateway.bigtable.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.bigtable.v2.ReadRowsResponse;
import com.google.bigtable.v2.ReadRowsResponse.CellChunk;
import com.google.protobuf.ByteString;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import io.stele.base.bytes.Bytes;
import io.stele.base.cell.Cell;
import io.stele.gateway.bigtable.data.RowAssembler;
import io.stele.gateway.bigtable.data.RowAssembler.ReadCell;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The published cases: chunks, and the cells that a client makes of them or that it must refuse
 * them. The strict client of these tests agrees with all of them, and what this writer makes of the
 * cells is understood by it.
 */
class ChunkWriterTest {
  private static final String CASES = "/com/google/cloud/conformance/bigtable/v2/readrows.json";

  @TestFactory
  Stream<DynamicTest> publishedCases() throws IOException {
    Struct.Builder all = Struct.newBuilder();
    try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream(CASES))) {
      JsonFormat.parser().merge(new String(in.readAllBytes(), StandardCharsets.UTF_8), all);
    }
    List<Value> cases = all.getFieldsOrThrow("readRowsTests").getListValue().getValuesList();
    assertThat(cases).hasSize(48);
    return cases.stream()
        .map(Value::getStructValue)
        .map(one -> DynamicTest.dynamicTest(text(one, "description"), () -> check(one)));
  }

  private static void check(Struct one) {
    List<ReadCell> wanted = new ArrayList<>();
    boolean refused = false;
    for (Value value : list(one, "results")) {
      Struct result = value.getStructValue();
      if (result.getFieldsOrDefault("error", Value.getDefaultInstance()).getBoolValue()) {
        refused = true;
      } else {
        wanted.add(cell(result));
      }
    }
    RowAssembler given = new RowAssembler(false);
    List<CellChunk> chunks =
        list(one, "chunks").stream().map(chunk -> chunk(chunk.getStructValue())).toList();
    if (refused) {
      assertThatThrownBy(
              () -> {
                chunks.forEach(
                    chunk -> given.add(ReadRowsResponse.newBuilder().addChunks(chunk).build()));
                given.finish();
              })
          .isInstanceOf(IllegalStateException.class);
    } else {
      chunks.forEach(chunk -> given.add(ReadRowsResponse.newBuilder().addChunks(chunk).build()));
      assertThat(given.finish()).isEqualTo(wanted);
    }
    assertThat(given.committed()).isEqualTo(wanted);
    for (int pieceBytes : new int[] {1, 3, 1 << 20}) {
      assertThat(rewritten(wanted, pieceBytes)).as("in pieces of %s", pieceBytes).isEqualTo(wanted);
    }
  }

  private static List<ReadCell> rewritten(List<ReadCell> cells, int pieceBytes) {
    RowAssembler understood = new RowAssembler(false);
    write(cells, pieceBytes, understood::add);
    return understood.finish();
  }

  private static void write(
      List<ReadCell> cells, int pieceBytes, java.util.function.Consumer<ReadRowsResponse> out) {
    ChunkWriter writer = new ChunkWriter(out, pieceBytes);
    ByteString row = ByteString.EMPTY;
    for (ReadCell cell : cells) {
      if (writer.inRow() && !cell.row().equals(row)) {
        writer.commitRow();
      }
      row = cell.row();
      Cell stored =
          Cell.put(
              bytes(cell.row()),
              Bytes.utf8(cell.family()),
              bytes(cell.qualifier()),
              cell.timestamp(),
              bytes(cell.value()));
      writer.cell(stored.view(), false, cell.labels().isEmpty() ? "" : cell.labels().getFirst());
    }
    if (writer.inRow()) {
      writer.commitRow();
    }
    writer.flush();
  }

  private static Bytes bytes(ByteString value) {
    return Bytes.wrap(value.toByteArray());
  }

  private static ReadCell cell(Struct result) {
    List<String> labels =
        text(result, "label").isEmpty() ? List.of() : List.of(text(result, "label"));
    return new ReadCell(
        ByteString.copyFromUtf8(text(result, "rowKey")),
        text(result, "familyName"),
        ByteString.copyFromUtf8(text(result, "qualifier")),
        Long.parseLong("0" + text(result, "timestampMicros")),
        ByteString.copyFromUtf8(text(result, "value")),
        labels);
  }

  /** The cases are of a message with other names for wrappers: absent is not the same as empty. */
  private static CellChunk chunk(Struct given) {
    CellChunk.Builder chunk = CellChunk.newBuilder();
    for (Map.Entry<String, Value> field : given.getFieldsMap().entrySet()) {
      Value value = field.getValue();
      switch (field.getKey()) {
        case "rowKey" -> chunk.setRowKey(base64(value));
        case "familyName" -> chunk.getFamilyNameBuilder().setValue(value.getStringValue());
        case "qualifier" -> chunk.getQualifierBuilder().setValue(base64(value));
        case "timestampMicros" -> chunk.setTimestampMicros(Long.parseLong(value.getStringValue()));
        case "labels" ->
            value.getListValue().getValuesList().forEach(v -> chunk.addLabels(v.getStringValue()));
        case "value" -> chunk.setValue(base64(value));
        case "valueSize" -> chunk.setValueSize((int) value.getNumberValue());
        case "commitRow" -> {
          if (value.getBoolValue()) {
            chunk.setCommitRow(true);
          }
        }
        case "resetRow" -> {
          if (value.getBoolValue()) {
            chunk.setResetRow(true);
          }
        }
        default -> throw new IllegalArgumentException(field.getKey());
      }
    }
    return chunk.build();
  }

  private static ByteString base64(Value value) {
    return ByteString.copyFrom(Base64.getDecoder().decode(value.getStringValue()));
  }

  private static List<Value> list(Struct of, String field) {
    return of.getFieldsOrDefault(
            field, Value.newBuilder().setListValue(ListValue.newBuilder()).build())
        .getListValue()
        .getValuesList();
  }

  private static String text(Struct of, String field) {
    return of.getFieldsOrDefault(field, Value.getDefaultInstance()).getStringValue();
  }

  @Test
  void randomRowsAreUnderstood() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      List<ReadCell> cells = randomCells(random);
      assertThat(rewritten(cells, 1 + random.nextInt(40))).as("seed %s", seed).isEqualTo(cells);
    }
  }

  private static List<ReadCell> randomCells(Random random) {
    List<ReadCell> cells = new ArrayList<>();
    for (int row = 0; row < 1 + random.nextInt(5); row++) {
      for (String family : List.of("a", "b", "c")) {
        for (String qualifier : List.of("", "x", "y")) {
          for (int version = random.nextInt(3); version > 0; version--) {
            cells.add(
                new ReadCell(
                    ByteString.copyFromUtf8("row" + row),
                    family,
                    ByteString.copyFromUtf8(qualifier),
                    version * 1000L,
                    ByteString.copyFromUtf8("v".repeat(random.nextInt(100))),
                    random.nextBoolean() ? List.of() : List.of("label")));
          }
        }
      }
    }
    return cells;
  }

  @Test
  void whatStaysTheSameIsSentOnce() {
    List<ReadRowsResponse> messages = new ArrayList<>();
    ByteString x = ByteString.copyFromUtf8("x");
    write(
        List.of(
            new ReadCell(x, "f", x, 2000, x, List.of()),
            new ReadCell(x, "f", x, 1000, x, List.of()),
            new ReadCell(x, "f", ByteString.copyFromUtf8("y"), 1000, x, List.of())),
        1 << 20,
        messages::add);
    assertThat(messages).hasSize(1);
    List<CellChunk> chunks = messages.getFirst().getChunksList();
    assertThat(chunks.stream().map(chunk -> chunk.getRowKey().toStringUtf8()))
        .containsExactly("x", "", "");
    assertThat(chunks.stream().map(CellChunk::hasFamilyName)).containsExactly(true, false, false);
    assertThat(chunks.stream().map(CellChunk::hasQualifier)).containsExactly(true, false, true);
    assertThat(chunks.stream().map(CellChunk::getCommitRow)).containsExactly(false, false, true);
  }
}
