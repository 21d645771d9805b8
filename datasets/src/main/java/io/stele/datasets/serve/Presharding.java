package io.stele.datasets.serve;

import java.time.Duration;
import java.util.Base64;
import java.util.BitSet;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the nodes of a cluster find out together about a version whose files are numbered like
 * shards ({@code part-00000} and so on): does file i hold the keys of shard i, and nothing else?
 * Then a node needs to read the files of its own shards alone. Nobody declares it, so it is first
 * taken to be so, then verified, and until it is, nothing that was loaded on that assumption can be
 * seen by anybody.
 *
 * <p>Why no key is lost. A node that has read file i and found all keys in place knows that of file
 * i, and nothing of the others: any of them may hold keys of shard i. So shard i is whole only if
 * <em>every</em> file has been read to its end by somebody who found all of its keys in place.
 * Therefore each node publishes which files it has verified, and keeps what it has loaded, without
 * manifests and so not even there after a crash, until the published sets cover all files. Files of
 * a version never change, so a verified file stays verified even if the node that verified it is
 * gone: nodes repeat what others published, and shards may be published at any later time. A single
 * misplaced key, found by any node, refutes the assumption for all nodes. They drop what they have
 * loaded and read all files. A wrong assumption costs time and nothing else.
 *
 * <p>Nodes publish, too, which files they are about to verify. If some file is neither verified nor
 * claimed for a while, because a node is lost, or is of an earlier version of Stele that reads
 * everything and says nothing, those that wait read everything themselves.
 *
 * <pre>
 *   partitions/DATASET/VERSION/files@HOST:PORT    FILES.CLAIMED.VERIFIED or FILES.refuted
 *   FILES                                         how many there are, as this node counts them
 *   CLAIMED, VERIFIED                             base64 of sets of bits, bit i stands for file i
 * </pre>
 *
 * <p>Entries of nodes that count other files are passed over. Nodes that do not know such entries
 * pass over all of them. Under the node's lock.
 */
final class Presharding {
  /** More files make an entry too large. */
  static final int MOST_FILES = 1 << 14;

  private static final String NAME = "files@";
  private static final String REFUTED = "refuted";

  private final SharedMap map;
  private final String key;
  private final int files;
  private final Duration patience;
  private final BitSet claimed = new BitSet();
  private final BitSet verified = new BitSet(); // by anybody
  private BitSet claimedByOthers = new BitSet();
  private boolean refuted;
  private boolean unclaimed; // some file, when it was last looked at
  private long unclaimedNanos; // since
  private boolean abandoned; // for as long as this process runs
  private boolean closed;
  private SharedMap.@Nullable Published published; // once there is something to say

  /**
   * Nothing is known as yet.
   *
   * @param directory of the version in the map
   * @param patience with files that nobody claims
   */
  Presharding(SharedMap map, String directory, String address, int files, Duration patience) {
    this.map = map;
    this.patience = patience;
    this.key = directory + "/" + NAME + address;
    this.files = files;
  }

  /** What a load that assumes it should do. */
  enum Verdict {
    /** Go on: all files hold their own shard's keys alone. */
    CONFIRMED,
    /** Wait: each file that nobody has verified is about to be, or may yet be. */
    OPEN,
    /** Read everything: some file holds a key of another shard, or nobody looks at some file. */
    NOT_TO_BE_USED
  }

  Verdict verdict(long nowNanos) {
    if (refuted || abandoned) {
      return Verdict.NOT_TO_BE_USED;
    }
    if (verified.cardinality() == files) {
      return Verdict.CONFIRMED;
    }
    BitSet known = (BitSet) verified.clone();
    known.or(claimed);
    known.or(claimedByOthers);
    if (known.cardinality() == files) {
      unclaimed = false;
    } else if (!unclaimed) {
      unclaimed = true;
      unclaimedNanos = nowNanos;
    }
    abandoned = unclaimed && nowNanos - unclaimedNanos >= patience.toNanos();
    return abandoned ? Verdict.NOT_TO_BE_USED : Verdict.OPEN;
  }

  /** This node is about to read these files, and no others. */
  void claim(Collection<Integer> own) {
    claimed.clear();
    own.forEach(claimed::set);
    publish();
  }

  /** This node has read these files, and found all keys in place. */
  void verify(Collection<Integer> own) {
    own.forEach(verified::set);
    publish();
  }

  /** This node has found a key out of place. */
  void refute() {
    refuted = true;
    publish();
  }

  private void publish() {
    if (closed) {
      return;
    }
    if (published == null) {
      published = map.publish(key, value());
    } else {
      published.set(value());
    }
  }

  private String value() {
    return files + "." + (refuted ? REFUTED : text(claimed) + "." + text(verified));
  }

  private static String text(BitSet bits) {
    return Base64.getEncoder().withoutPadding().encodeToString(bits.toByteArray());
  }

  /** Takes over what others publish. */
  void hear(Map<String, String> entries) {
    claimedByOthers = new BitSet();
    int before = verified.cardinality();
    entries.forEach(
        (name, value) -> {
          if (name.startsWith(NAME) && !key.endsWith("/" + name)) {
            hear(value);
          }
        });
    if (published != null && !refuted && verified.cardinality() > before) {
      publish(); // for those that come when the others are gone
    }
  }

  private void hear(String value) {
    String[] parts = value.split("\\.", -1);
    if (!parts[0].equals(Integer.toString(files))) {
      return;
    }
    if (parts.length == 2 && parts[1].equals(REFUTED)) {
      refuted = true;
    } else if (parts.length == 3) {
      claimedByOthers.or(bits(parts[1]));
      verified.or(bits(parts[2]));
    }
  }

  private BitSet bits(String text) {
    try {
      return BitSet.valueOf(Base64.getDecoder().decode(text)).get(0, files);
    } catch (IllegalArgumentException e) {
      return new BitSet();
    }
  }

  void close() {
    closed = true;
    if (published != null) {
      published.close();
      published = null;
    }
  }
}
