package io.stele.metastore.raft;

import io.stele.base.bytes.Crc32c;
import io.stele.base.error.CorruptDataException;
import io.stele.base.error.InvalidRequestException;
import io.stele.base.file.FilePath;
import io.stele.base.file.FileStore;
import io.stele.base.file.ReadableFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * To which group a data directory belongs, and how it keeps its part of the log; on disk in the
 * file {@code member}, which is only ever replaced as a whole.
 *
 * <pre>
 * stele-member 1
 * id     m3f0c21d97a55e12
 * kind   raft                                      unformed, solo or raft
 * group  0f8fad5b-d9cb-469f-a165-70867728950e      - if unformed
 * self   m3f0c21d97a55e12 host1:7201 host1:7200    only in a raft member, as are the next ones
 * forming yes                                      while the others are not known to take part
 * first  m3f0c21d97a55e12 host1:7201 host1:7200    for each of those the group began with
 * crc    1c291ca3                                  CRC32C of all lines before, in hex
 * </pre>
 */
sealed interface Membership {
  FilePath FILE = FilePath.of("member");

  /** This server's own, for ever. */
  String id();

  Optional<String> group();

  /** Belongs to no group yet. */
  record Unformed(String id) implements Membership {
    @Override
    public Optional<String> group() {
      return Optional.empty();
    }
  }

  /** The only member of its group, on a plain log. */
  record Solo(String id, String groupId) implements Membership {
    @Override
    public Optional<String> group() {
      return Optional.of(groupId);
    }
  }

  /**
   * A member on a replicated log, whose storage is complete.
   *
   * @param self as the group knows it
   * @param first those the group began with; none if this one was added later
   * @param forming this one began the group, and has yet to make members of the others
   */
  record Raft(String groupId, Member self, List<Member> first, boolean forming)
      implements Membership {
    public Raft {
      first = List.copyOf(first);
    }

    @Override
    public String id() {
      return self.id();
    }

    @Override
    public Optional<String> group() {
      return Optional.of(groupId);
    }
  }

  /** Durable on return. */
  default void save(FileStore files) throws IOException {
    StringBuilder text = new StringBuilder("stele-member 1\n");
    line(text, "id", id());
    line(
        text,
        "kind",
        switch (this) {
          case Unformed u -> "unformed";
          case Solo s -> "solo";
          case Raft r -> "raft";
        });
    line(text, "group", group().orElse("-"));
    if (this instanceof Raft(_, Member self, List<Member> first, boolean forming)) {
      line(text, "self", text(self));
      if (forming) {
        line(text, "forming", "yes");
      }
      first.forEach(member -> line(text, "first", text(member)));
    }
    byte[] lines = text.toString().getBytes(StandardCharsets.UTF_8);
    line(text, "crc", "%08x".formatted(Crc32c.of(lines, 0, lines.length)));
    files.replace(FILE, text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static void line(StringBuilder text, String key, String value) {
    text.append(key).append(' ').append(value).append('\n');
  }

  private static String text(Member member) {
    return member.id() + " " + member.raftAddress() + " " + member.serviceAddress();
  }

  static Optional<Membership> load(FileStore files) throws IOException {
    if (files.stat(FILE).isEmpty()) {
      return Optional.empty();
    }
    try (ReadableFile file = files.open(FILE)) {
      byte[] content = new byte[Math.toIntExact(file.length())];
      file.read(0, content, 0, content.length);
      return Optional.of(parse(content));
    }
  }

  private static Membership parse(byte[] content) {
    String text = new String(content, StandardCharsets.UTF_8);
    int end = text.lastIndexOf("crc ");
    String expected = "crc %08x\n".formatted(Crc32c.of(content, 0, end < 0 ? content.length : end));
    if (end < 0 || !text.substring(end).equals(expected)) {
      throw corrupt(expected.strip(), end < 0 ? "no crc line" : text.substring(end).strip());
    }
    List<String> lines = text.substring(0, end).lines().toList();
    if (lines.size() < 4 || !lines.getFirst().equals("stele-member 1")) {
      throw corrupt("stele-member 1, then id, kind and group", String.join(", ", lines));
    }
    String id = value(lines.get(1), "id");
    String group = value(lines.get(3), "group");
    return switch (value(lines.get(2), "kind")) {
      case "unformed" -> new Unformed(id);
      case "solo" -> new Solo(id, group);
      case "raft" -> raft(group, lines.subList(4, lines.size()));
      default -> throw corrupt("kind unformed, solo or raft", lines.get(2));
    };
  }

  private static Raft raft(String group, List<String> lines) {
    if (lines.isEmpty()) {
      throw corrupt("a line self", "the end");
    }
    boolean forming = lines.size() > 1 && lines.get(1).equals("forming yes");
    List<Member> first = new ArrayList<>();
    for (String line : lines.subList(forming ? 2 : 1, lines.size())) {
      first.add(member(value(line, "first")));
    }
    return new Raft(group, member(value(lines.getFirst(), "self")), first, forming);
  }

  private static String value(String line, String key) {
    if (!line.startsWith(key + " ")) {
      throw corrupt("a line " + key, line);
    }
    return line.substring(key.length() + 1);
  }

  private static Member member(String text) {
    String[] parts = text.split(" ", -1);
    if (parts.length != 3) {
      throw corrupt("an id and two addresses", text);
    }
    try {
      return new Member(parts[0], parts[1], parts[2]);
    } catch (InvalidRequestException e) {
      throw corrupt("an id and two addresses", text + ": " + e.getMessage());
    }
  }

  private static CorruptDataException corrupt(String expected, String found) {
    return new CorruptDataException(FILE.value(), 0, expected, found);
  }
}
