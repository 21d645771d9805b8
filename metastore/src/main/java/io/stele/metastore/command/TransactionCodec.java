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
import io.stele.base.bytes.Bytes;
import io.stele.base.error.InvalidRequestException;
import io.stele.metastore.command.Comparison.Field;
import io.stele.metastore.command.Comparison.LockHeld;
import io.stele.metastore.command.Comparison.Present;
import io.stele.metastore.command.Comparison.Property;
import io.stele.metastore.command.Comparison.Relation;
import io.stele.metastore.command.Comparison.Value;
import io.stele.metastore.command.Operation.Assign;
import io.stele.metastore.command.Operation.Branch;
import io.stele.metastore.command.Operation.Delete;
import io.stele.metastore.command.Operation.Get;
import io.stele.metastore.command.Operation.Put;
import io.stele.metastore.command.Operation.Select;
import io.stele.metastore.key.KeyRange;
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
 *                | 4 range                                                    present
 *   operation   := 1 key(bytes) value(bytes) session previous(1)              put
 *                | 2 range previous(1)                                        delete
 *                | 3 range limit                                              get
 *                | 4 key(bytes) value(bytes) lease flags(1)                   assign
 *                | 5 range revision limit order(1) target(1) flags(1)         select
 *                    minModified maxModified minCreated maxCreated
 *                | 6 list of comparison, list of operation, list of operation branch
 *   flags       := of assign: previous (bit 0) | keepValue (bit 1) | keepLease (bit 2)
 *                  of select: keysOnly (bit 0) | countOnly (bit 1)
 * </pre>
 *
 * Fields and relations are stored as their place in the lists below, which never changes.
 */
final class TransactionCodec {
  private static final List<Field> FIELDS =
      List.of(Field.CREATED, Field.MODIFIED, Field.VERSION, Field.SESSION, Field.LEASE);
  private static final List<Relation> RELATIONS =
      List.of(Relation.EQUAL, Relation.NOT_EQUAL, Relation.LESS, Relation.GREATER);

  private static final List<Selection.Order> ORDERS =
      List.of(Selection.Order.NONE, Selection.Order.ASCENDING, Selection.Order.DESCENDING);
  private static final List<Selection.Target> TARGETS =
      List.of(
          Selection.Target.KEY,
          Selection.Target.VERSION,
          Selection.Target.CREATED,
          Selection.Target.MODIFIED,
          Selection.Target.VALUE);

  /** Branches within branches: deeper ones would only be an attack on the stack. */
  private static final int MAX_DEPTH = 128;

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
      case Present c -> {
        out.putByte(4);
        putRange(out, c.range());
      }
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
      case 4 -> new Present(readRange(in));
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
      case Assign o ->
          out.putByte(4)
              .putSized(o.key())
              .putSized(o.value())
              .putVarint(o.lease())
              .putByte((o.previous() ? 1 : 0) | (o.keepValue() ? 2 : 0) | (o.keepLease() ? 4 : 0));
      case Select o -> {
        out.putByte(5);
        putSelection(out, o.selection());
      }
      case Branch o -> {
        out.putByte(6);
        putList(out, o.comparisons(), TransactionCodec::putComparison);
        putList(out, o.then(), TransactionCodec::putOperation);
        putList(out, o.otherwise(), TransactionCodec::putOperation);
      }
    }
  }

  private static void putSelection(ByteBuilder out, Selection selection) {
    putRange(out, selection.range());
    out.putVarint(selection.revision())
        .putVarint(selection.limit())
        .putByte(ORDERS.indexOf(selection.order()))
        .putByte(TARGETS.indexOf(selection.target()))
        .putByte((selection.keysOnly() ? 1 : 0) | (selection.countOnly() ? 2 : 0));
    Selection.Bounds bounds = selection.bounds();
    out.putVarint(bounds.minModified())
        .putVarint(bounds.maxModified())
        .putVarint(bounds.minCreated())
        .putVarint(bounds.maxCreated());
  }

  private static Selection readSelection(ByteReader in) throws Malformed {
    KeyRange range = readRange(in);
    long revision = in.readVarint();
    long limit = in.readVarint();
    Selection.Order order = readEnum(in, ORDERS, "order");
    Selection.Target target = readEnum(in, TARGETS, "target");
    int flags = readFlags(in, 3);
    Selection.Bounds bounds =
        new Selection.Bounds(in.readVarint(), in.readVarint(), in.readVarint(), in.readVarint());
    try {
      return new Selection(
          range, revision, limit, order, target, (flags & 1) != 0, (flags & 2) != 0, bounds);
    } catch (InvalidRequestException e) {
      throw in.malformed(e.getMessage() + ", before");
    }
  }

  private static int readFlags(ByteReader in, int most) throws Malformed {
    int flags = in.readByte();
    if (flags > most) {
      throw in.malformed("flags of " + flags + " before, at most " + most);
    }
    return flags;
  }

  private static Assign readAssign(ByteReader in) throws Malformed {
    Bytes key = in.readSized("key");
    Bytes value = in.readSized("value");
    long lease = in.readVarint();
    int flags = readFlags(in, 7);
    return new Assign(key, value, lease, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0);
  }

  private static Operation readOperation(ByteReader in) throws Malformed {
    return readOperation(in, 0);
  }

  private static Operation readOperation(ByteReader in, int depth) throws Malformed {
    if (depth > MAX_DEPTH) {
      throw in.malformed("more than " + MAX_DEPTH + " branches within each other before");
    }
    int code = in.readByte();
    return switch (code) {
      case 1 ->
          new Put(in.readSized("key"), in.readSized("value"), in.readVarint(), readBoolean(in));
      case 2 -> new Delete(readRange(in), readBoolean(in));
      case 3 -> new Get(readRange(in), in.readVarint(Integer.MAX_VALUE, "limit"));
      case 4 -> readAssign(in);
      case 5 -> new Select(readSelection(in));
      case 6 ->
          new Branch(
              readList(in, "comparisons", TransactionCodec::readComparison),
              readList(in, "operations", inner -> readOperation(inner, depth + 1)),
              readList(in, "operations", inner -> readOperation(inner, depth + 1)));
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
