package io.stele.metastore.command;

import static io.stele.metastore.command.FieldCodec.putBoolean;
import static io.stele.metastore.command.FieldCodec.putDuration;
import static io.stele.metastore.command.FieldCodec.putList;
import static io.stele.metastore.command.FieldCodec.putText;
import static io.stele.metastore.command.FieldCodec.readBoolean;
import static io.stele.metastore.command.FieldCodec.readDuration;
import static io.stele.metastore.command.FieldCodec.readList;
import static io.stele.metastore.command.FieldCodec.readText;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import java.util.List;
import java.util.Optional;

/**
 * Answers as bytes, as they are kept for requests that come again. Forms as in {@link FieldCodec}.
 *
 * <pre>
 *   answer := 1 session timeToLive | 2 succeeded(1) revision list of result | 3 token
 *           | 4 | 5 | 6 more(1) | 7 kind(1) message(text) | 8 lease timeToLive
 *   result := 1 [ keyValue ] with hasPrevious(1) before | 2 count list of keyValue
 *           | 3 list of keyValue, more(1)
 *           | 4 list of keyValue, more(1) count | 5 succeeded(1) list of result
 * </pre>
 */
public final class AnswerCodec {
  /** Kinds are stored as their place in here, which never changes. */
  private static final List<Answer.Kind> KINDS =
      List.of(
          Answer.Kind.ABORTED,
          Answer.Kind.COMPACTED,
          Answer.Kind.DENIED,
          Answer.Kind.EXHAUSTED,
          Answer.Kind.FENCED,
          Answer.Kind.INVALID,
          Answer.Kind.LOCKED,
          Answer.Kind.NOT_FOUND,
          Answer.Kind.SESSION_GONE,
          Answer.Kind.UNKNOWN,
          Answer.Kind.FUTURE_REVISION,
          Answer.Kind.KEY_ABSENT,
          Answer.Kind.LEASE_ABSENT,
          Answer.Kind.LEASE_EXISTS,
          Answer.Kind.NO_SPACE);

  private AnswerCodec() {}

  public static void write(ByteBuilder out, Answer answer) {
    switch (answer) {
      case Answer.SessionOpened a -> {
        out.putByte(1).putVarint(a.session());
        putDuration(out, a.timeToLive());
      }
      case Answer.Transacted a -> {
        out.putByte(2);
        putBoolean(out, a.succeeded());
        out.putVarint(a.revision());
        putList(out, a.results(), AnswerCodec::putResult);
      }
      case Answer.Granted a -> out.putByte(3).putVarint(a.token());
      case Answer.Queued _ -> out.putByte(4);
      case Answer.Done _ -> out.putByte(5);
      case Answer.Reclaimed a -> {
        out.putByte(6);
        putBoolean(out, a.more());
      }
      case Answer.Refused a -> {
        out.putByte(7).putByte(KINDS.indexOf(a.kind()));
        putText(out, a.message());
      }
      case Answer.LeaseGranted a -> {
        out.putByte(8).putVarint(a.id());
        putDuration(out, a.timeToLive());
      }
    }
  }

  public static Answer read(ByteReader in) throws Malformed {
    int code = in.readByte();
    return switch (code) {
      case 1 -> new Answer.SessionOpened(in.readVarint(), readDuration(in));
      case 2 ->
          new Answer.Transacted(
              readBoolean(in), in.readVarint(), readList(in, "results", AnswerCodec::readResult));
      case 3 -> new Answer.Granted(in.readVarint());
      case 4 -> new Answer.Queued();
      case 5 -> new Answer.Done();
      case 6 -> new Answer.Reclaimed(readBoolean(in));
      case 7 -> new Answer.Refused(readKind(in), readText(in, "message"));
      case 8 -> new Answer.LeaseGranted(in.readVarint(), readDuration(in));
      default -> throw in.malformed("answer of unknown kind " + code + " before");
    };
  }

  private static Answer.Kind readKind(ByteReader in) throws Malformed {
    int code = in.readByte();
    if (code >= KINDS.size()) {
      throw in.malformed("refusal of unknown kind " + code + " before");
    }
    return KINDS.get(code);
  }

  private static void putResult(ByteBuilder out, OperationResult result) {
    switch (result) {
      case OperationResult.Done r -> {
        out.putByte(1);
        putBoolean(out, r.previous().isPresent());
        r.previous().ifPresent(kv -> FieldCodec.putKeyValue(out, kv));
      }
      case OperationResult.Deleted r -> {
        out.putByte(2).putVarint(r.count());
        putList(out, r.previous(), FieldCodec::putKeyValue);
      }
      case OperationResult.Found r -> {
        out.putByte(3);
        putList(out, r.keys(), FieldCodec::putKeyValue);
        putBoolean(out, r.more());
      }
      case OperationResult.Selected r -> {
        out.putByte(4);
        putList(out, r.keys(), FieldCodec::putKeyValue);
        putBoolean(out, r.more());
        out.putVarint(r.count());
      }
      case OperationResult.Branched r -> {
        out.putByte(5);
        putBoolean(out, r.succeeded());
        putList(out, r.results(), AnswerCodec::putResult);
      }
    }
  }

  private static OperationResult readResult(ByteReader in) throws Malformed {
    int code = in.readByte();
    return switch (code) {
      case 1 ->
          new OperationResult.Done(
              readBoolean(in) ? Optional.of(FieldCodec.readKeyValue(in)) : Optional.empty());
      case 2 ->
          new OperationResult.Deleted(
              in.readVarint(), readList(in, "previous", FieldCodec::readKeyValue));
      case 3 -> {
        List<KeyValue> keys = readList(in, "keys", FieldCodec::readKeyValue);
        yield new OperationResult.Found(keys, readBoolean(in));
      }
      case 4 -> {
        List<KeyValue> keys = readList(in, "keys", FieldCodec::readKeyValue);
        yield new OperationResult.Selected(keys, readBoolean(in), in.readVarint());
      }
      case 5 ->
          new OperationResult.Branched(
              readBoolean(in), readList(in, "results", AnswerCodec::readResult));
      default -> throw in.malformed("result of unknown kind " + code + " before");
    };
  }
}
