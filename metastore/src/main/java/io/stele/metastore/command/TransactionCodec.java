package io.stele.metastore.command;

import static io.stele.metastore.command.FieldCodec.putBoolean;
import static io.stele.metastore.command.FieldCodec.putList;
import static io.stele.metastore.command.FieldCodec.putRange;
import static io.stele.metastore.command.FieldCodec.readBoolean;
import static io.stele.metastore.command.FieldCodec.readList;
import static io.stele.metastore.command.FieldCodec.readRange;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.metastore.command.Comparison.Field;
import io.stele.metastore.command.Comparison.LockHeld;
import io.stele.metastore.command.Comparison.Property;
import io.stele.metastore.command.Comparison.Relation;
import io.stele.metastore.command.Comparison.Value;
import io.stele.metastore.command.Operation.Delete;
import io.stele.metastore.command.Operation.Get;
import io.stele.metastore.command.Operation.Put;
import java.util.List;
import java.util.Optional;

/**
 * Transactions as bytes, with the forms of {@link FieldCodec}.
 *
 * <pre>
 *   transaction := list of comparison, list of operation, list of operation,
 *                  hasReads(1) [ term revision list of range ]
 *   comparison  := 1 range field(1) relation(1) operand
 *                | 2 range relation(1) operand(bytes)
 *                | 3 key(bytes) token
 *   operation   := 1 key(bytes) value(bytes) session previous(1)              put
 *                | 2 range previous(1)                                        delete
 *                | 3 range limit                                              get
 * </pre>
 *
 * Fields and relations are stored as their place in the lists below, which never changes.
 */
final class TransactionCodec {
  private static final List<Field> FIELDS =
      List.of(Field.CREATED, Field.MODIFIED, Field.VERSION, Field.SESSION);
  private static final List<Relation> RELATIONS =
      List.of(Relation.EQUAL, Relation.NOT_EQUAL, Relation.LESS, Relation.GREATER);

  private TransactionCodec() {}

  static void write(ByteBuilder out, Transaction transaction) {
    putList(out, transaction.comparisons(), TransactionCodec::putComparison);
    putList(out, transaction.then(), TransactionCodec::putOperation);
    putList(out, transaction.otherwise(), TransactionCodec::putOperation);
    putBoolean(out, transaction.reads().isPresent());
    if (transaction.reads().isPresent()) {
      ReadSet reads = transaction.reads().get();
      out.putVarint(reads.term()).putVarint(reads.revision());
      putList(out, reads.ranges(), FieldCodec::putRange);
    }
  }

  static Transaction read(ByteReader in) throws Malformed {
    return new Transaction(
        readList(in, "comparisons", TransactionCodec::readComparison),
        readList(in, "operations", TransactionCodec::readOperation),
        readList(in, "operations", TransactionCodec::readOperation),
        readBoolean(in)
            ? Optional.of(
                new ReadSet(
                    in.readVarint(),
                    in.readVarint(),
                    readList(in, "ranges read", FieldCodec::readRange)))
            : Optional.empty());
  }

  private static void putComparison(ByteBuilder out, Comparison comparison) {
    switch (comparison) {
      case Property c -> {
        out.putByte(1);
        putRange(out, c.range());
        out.putByte(FIELDS.indexOf(c.field()))
            .putByte(RELATIONS.indexOf(c.relation()))
            .putVarint(c.operand());
      }
      case Value c -> {
        out.putByte(2);
        putRange(out, c.range());
        out.putByte(RELATIONS.indexOf(c.relation())).putSized(c.operand());
      }
      case LockHeld c -> out.putByte(3).putSized(c.key()).putVarint(c.token());
    }
  }

  private static Comparison readComparison(ByteReader in) throws Malformed {
    int code = in.readByte();
    return switch (code) {
      case 1 ->
          new Property(
              readRange(in),
              readEnum(in, FIELDS, "field"),
              readEnum(in, RELATIONS, "relation"),
              in.readVarint());
      case 2 ->
          new Value(
              readRange(in), readEnum(in, RELATIONS, "relation"), in.readSized("value compared"));
      case 3 -> new LockHeld(in.readSized("key"), in.readVarint());
      default -> throw in.malformed("comparison of unknown kind " + code + " before");
    };
  }

  private static void putOperation(ByteBuilder out, Operation operation) {
    switch (operation) {
      case Put o -> {
        out.putByte(1).putSized(o.key()).putSized(o.value()).putVarint(o.session());
        putBoolean(out, o.previous());
      }
      case Delete o -> {
        out.putByte(2);
        putRange(out, o.range());
        putBoolean(out, o.previous());
      }
      case Get o -> {
        out.putByte(3);
        putRange(out, o.range());
        out.putVarint(o.limit());
      }
    }
  }

  private static Operation readOperation(ByteReader in) throws Malformed {
    int code = in.readByte();
    return switch (code) {
      case 1 ->
          new Put(in.readSized("key"), in.readSized("value"), in.readVarint(), readBoolean(in));
      case 2 -> new Delete(readRange(in), readBoolean(in));
      case 3 -> new Get(readRange(in), in.readVarint(Integer.MAX_VALUE, "limit"));
      default -> throw in.malformed("operation of unknown kind " + code + " before");
    };
  }

  private static <E> E readEnum(ByteReader in, List<E> values, String what) throws Malformed {
    int code = in.readByte();
    if (code >= values.size()) {
      throw in.malformed(what + " of unknown kind " + code + " before");
    }
    return values.get(code);
  }
}
