package io.stele.hadoop;

import org.apache.hadoop.conf.Configuration;

/** The Hadoop properties whose defaults do not suit us. */
final class ClientSettings {
  /** Wait before the first repeated attempt to close a file on HDFS; doubled for each next one. */
  static final String CLOSE_DELAY = "dfs.client.block.write.locateFollowingBlock.initial.delay.ms";

  /** How often closing is repeated. */
  static final String CLOSE_RETRIES = "dfs.client.block.write.locateFollowingBlock.retries";

  private ClientSettings() {}

  /** A copy with our defaults for what nobody has set. */
  static Configuration derive(Configuration configuration) {
    Configuration own = new Configuration(configuration);
    // Else Hadoop closes the file system while the process still writes its last files on the way
    // out.
    own.setBoolean("fs.automatic.close", false);
    // The name node often hears of a file's last block just after the writer asks to close it. The
    // usual 400 ms would then be the time of every small file; the whole wait stays above 10 s.
    setUnlessSet(own, CLOSE_DELAY, "10");
    setUnlessSet(own, CLOSE_RETRIES, "10");
    return own;
  }

  private static void setUnlessSet(Configuration own, String name, String value) {
    String[] sources = own.getPropertySources(name);
    if (sources == null || sources.length == 0 || sources[0].endsWith("-default.xml")) {
      own.set(name, value);
    }
  }
}
