package io.stele.gateway.bigtable.note;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** The notes of one kind, which are messages of one type, by their names. */
public final class NotedMessages<M extends Message> {
  private final Notes notes;
  private final String prefix;
  private final Parser<M> parser;

  /** Those whose keys begin with a prefix. */
  public NotedMessages(Notes notes, String prefix, Parser<M> parser) {
    this.notes = notes;
    this.prefix = prefix;
    this.parser = parser;
  }

  public Optional<M> get(String name) {
    return notes.get(prefix + name).map(text -> parse(name, text));
  }

  /** Those whose names begin so, by their names. */
  public SortedMap<String, M> list(String beginning) {
    SortedMap<String, M> found = new TreeMap<>();
    List<Notes.Note> all = notes.list(prefix + beginning);
    for (Notes.Note note : all) {
      String name = note.key().substring(prefix.length());
      found.put(name, parse(name, note.text()));
    }
    return found;
  }

  public Map<String, M> all() {
    return list("");
  }

  public void put(String name, M message) {
    notes.put(prefix + name, Bytes.wrap(message.toByteArray()));
  }

  public void remove(String name) {
    notes.remove(prefix + name);
  }

  /** See {@link Notes#change}. */
  public void change(String name, UnaryOperator<Optional<M>> change) {
    notes.change(
        prefix + name,
        text ->
            change
                .apply(text.map(known -> parse(name, known)))
                .map(message -> Bytes.wrap(message.toByteArray())));
  }

  private M parse(String name, Bytes text) {
    try {
      return parser.parseFrom(text.toArray());
    } catch (InvalidProtocolBufferException e) {
      throw new CorruptDataException(
          Notes.TABLE + " " + prefix + name, 0, "a message of Bigtable's", String.valueOf(e));
    }
  }
}
