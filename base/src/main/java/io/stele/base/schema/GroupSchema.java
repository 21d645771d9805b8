package io.stele.base.schema;

import io.stele.base.error.InvalidRequestException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A locality group: families that are stored together, and how.
 *
 * @param name unique within the table
 * @param families in the order of their names; none if it is the wildcard group
 * @param wildcard it holds every family that is in no other group
 * @param purge which versions are no longer wanted
 * @param blockSize bytes of a block before compression
 * @param inMemory its blocks are kept in the cache as far as there is room
 */
public record GroupSchema(
    String name,
    SortedSet<String> families,
    boolean wildcard,
    PurgePolicy purge,
    Compression compression,
    int blockSize,
    boolean inMemory) {
  public static final int DEFAULT_BLOCK_SIZE = 8 << 10;
  public static final int LONGEST_NAME = 255; // bytes, of groups and families

  private static final int SMALLEST_BLOCK = 64;
  private static final int LARGEST_BLOCK = 16 << 20;

  public GroupSchema {
    checkName("group", name);
    if (families.isEmpty() != wildcard) {
      throw new InvalidRequestException(
          "group \""
              + name
              + (wildcard
                  ? "\" has the wildcard and names families: must be either"
                  : "\" has no families: must have at least one, or the wildcard *"));
    }
    families.forEach(family -> checkName("family", family));
    families = Collections.unmodifiableSortedSet(new TreeSet<>(families));
    if (blockSize < SMALLEST_BLOCK || blockSize > LARGEST_BLOCK) {
      throw new InvalidRequestException(
          "block size of "
              + blockSize
              + " bytes of group \""
              + name
              + "\": must be "
              + SMALLEST_BLOCK
              + " to "
              + LARGEST_BLOCK);
    }
  }

  /** A group with the usual settings; {@code *} alone is the wildcard. */
  public static GroupSchema of(String name, Collection<String> families) {
    boolean wildcard = families.size() == 1 && families.contains("*");
    return new GroupSchema(
        name,
        new TreeSet<>(wildcard ? List.of() : families),
        wildcard,
        PurgePolicy.NONE,
        Compression.NONE,
        DEFAULT_BLOCK_SIZE,
        false);
  }

  public static GroupSchema of(String name, String... families) {
    return of(name, List.of(families));
  }

  public GroupSchema withFamilies(Collection<String> names) {
    GroupSchema other = of(name, names);
    return new GroupSchema(
        name, other.families, other.wildcard, purge, compression, blockSize, inMemory);
  }

  public GroupSchema withPurge(PurgePolicy value) {
    return new GroupSchema(name, families, wildcard, value, compression, blockSize, inMemory);
  }

  public GroupSchema withCompression(Compression value) {
    return new GroupSchema(name, families, wildcard, purge, value, blockSize, inMemory);
  }

  public GroupSchema withBlockSize(int bytes) {
    return new GroupSchema(name, families, wildcard, purge, compression, bytes, inMemory);
  }

  public GroupSchema withInMemory(boolean value) {
    return new GroupSchema(name, families, wildcard, purge, compression, blockSize, value);
  }

  /** Families and groups are named in text: in schemas, in predicates, and by people. */
  static void checkName(String what, String name) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes < 1 || bytes > LONGEST_NAME) {
      throw new InvalidRequestException(
          what + " name of " + bytes + " bytes: must be 1 to " + LONGEST_NAME);
    }
    for (int at = 0; at < name.length(); at++) {
      char c = name.charAt(at);
      if (c == ':' || c == '*' || Character.isWhitespace(c) || Character.isISOControl(c)) {
        throw new InvalidRequestException(
            what
                + " name \""
                + name
                + "\" at character "
                + (at + 1)
                + ": must have no colon, asterisk, space or control character");
      }
    }
  }
}
