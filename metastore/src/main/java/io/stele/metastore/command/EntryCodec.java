package io.stele.metastore.command;

import io.stele.base.bytes.ByteBuilder;
import io.stele.base.bytes.ByteReader;
import io.stele.base.bytes.ByteReader.Malformed;
import io.stele.base.bytes.Bytes;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import java.util.ArrayList;
import java.util.List;

/**
 * An entry of the log: commands of any number of callers, applied one after the other.
 *
 * <pre>
 *   entry := version(1) count(varint) command*        command: see CommandCodec
 * </pre>
 *
 * <p>The version is the {@link ClusterVersion} that its commands need. Entries of version 1 may
 * hold commands of version 2, from before they were told apart.
 *
 * <p>Any bytes may be decoded; what no encoder made is {@link CorruptDataException}, and an entry
 * of a newer version than this program knows is {@link io.stele.base.error.UnavailableException}:
 * it is whole, and a newer program can apply it.
 */
public final class EntryCodec {
  /** The most commands of an entry: they share the numbers between two log entries. */
  public static final int MAX_COMMANDS = 65_534;

  private EntryCodec() {}

  public static Bytes encode(List<Command> commands) {
    if (commands.size() > MAX_COMMANDS) {
      throw new InvalidRequestException(
          "log entry of " + commands.size() + " commands: at most " + MAX_COMMANDS);
    }
    ByteBuilder out = new ByteBuilder(64 * commands.size() + 16);
    int version = ClusterVersion.FIRST;
    for (Command command : commands) {
      version = Math.max(version, command.since());
    }
    out.putByte(version).putVarint(commands.size());
    for (Command command : commands) {
      CommandCodec.write(out, command);
    }
    return out.toBytes();
  }

  /**
   * Takes an entry apart.
   *
   * @param name what it is called in an error
   */
  public static List<Command> decode(String name, Bytes entry) {
    ByteReader in = new ByteReader(entry.sharedArray(), 0, entry.length());
    try {
      int version = in.readByte();
      if (version < ClusterVersion.FIRST) {
        throw in.malformed("version " + version + " instead of 1 to " + ClusterVersion.NEWEST);
      }
      ClusterVersion.check(name, version);
      int count = in.readVarint(MAX_COMMANDS, "command count");
      List<Command> commands = new ArrayList<>(Math.min(count, in.remaining()));
      for (int i = 0; i < count; i++) {
        commands.add(CommandCodec.read(in));
      }
      if (in.remaining() != 0) {
        throw in.malformed(in.remaining() + " bytes behind the last command");
      }
      return commands;
    } catch (Malformed e) {
      throw new CorruptDataException(name, e.offset(), "commands", e.problem());
    }
  }
}
