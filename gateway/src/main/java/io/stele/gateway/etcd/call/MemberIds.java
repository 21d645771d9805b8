package io.stele.gateway.etcd.call;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Names of members and groups as the 64-bit numbers that etcd has for them; never 0. */
public final class MemberIds {
  private static final Pattern MADE_UP = Pattern.compile("m[0-9a-f]{16}");
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private MemberIds() {}

  /** A name that was made up holds a number already; others are hashed (FNV-1a). */
  public static long of(String member) {
    return MADE_UP.matcher(member).matches()
        ? notZero(Long.parseUnsignedLong(member.substring(1), 16))
        : hash(member);
  }

  public static long ofGroup(String group) {
    return hash(group);
  }

  private static long hash(String name) {
    long hash = FNV_OFFSET;
    for (byte each : name.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (each & 0xff)) * FNV_PRIME;
    }
    return notZero(hash);
  }

  private static long notZero(long number) {
    return number == 0 ? 1 : number;
  }
}
