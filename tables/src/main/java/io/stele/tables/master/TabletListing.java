package io.stele.tables.master;

import io.stele.base.bytes.Bytes;
import io.stele.base.error.UnavailableException;
import io.stele.base.table.TabletInfo;
import io.stele.base.table.TabletInfo.FileInfo;
import io.stele.tables.master.Orders.Answer;
import io.stele.tables.meta.FragmentRef;
import io.stele.tables.meta.TabletConfig;
import io.stele.tables.meta.TabletKey;
import io.stele.tables.tablet.TabletState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The tablets of a table as META has them, and as their servers say that they are. */
final class TabletListing {
  private final MasterParts parts;
  private final Orders orders;
  private final MasterSettings settings;

  TabletListing(MasterParts parts, Orders orders, MasterSettings settings) {
    this.parts = parts;
    this.orders = orders;
    this.settings = settings;
  }

  /**
   * In the order of their rows.
   *
   * @param owners the servers to ask
   */
  List<TabletInfo> list(String table, Collection<LiveServer> owners) {
    Map<TabletKey, TabletInfo> told = new HashMap<>();
    orders
        .callAll(owners, "list tablets", settings.answer(), control -> control.tablets(table))
        .values()
        .forEach(
            answer -> {
              if (answer instanceof Answer.Given<List<TabletInfo>>(List<TabletInfo> infos)) {
                infos.forEach(info -> told.put(new TabletKey(table, info.last()), info));
              }
            });
    List<LiveServer> live = parts.membership().live();
    return parts.meta().tablets(table).stream()
        .map(
            config ->
                Optional.ofNullable(told.get(config.key()))
                    .orElseGet(() -> asMetaHasIt(config, live)))
        .toList();
  }

  /** A tablet of which no server has said how it is. */
  private TabletInfo asMetaHasIt(TabletConfig config, List<LiveServer> live) {
    List<FileInfo> files = new ArrayList<>();
    config
        .fragments()
        .forEach((group, chain) -> chain.forEach(ref -> files.add(fileInfo(group, ref))));
    return new TabletInfo(
        config.table(),
        config.first(),
        config.last(),
        TabletState.UNKNOWN.number(),
        TabletState.UNKNOWN.text(),
        Picture.ownerOf(config, live).map(LiveServer::address).orElse(""),
        0,
        files.stream().mapToLong(FileInfo::bytes).sum(),
        files);
  }

  private FileInfo fileInfo(String group, FragmentRef ref) {
    List<String> families =
        ref.families()
            .map(only -> only.stream().map(Bytes::toUtf8).sorted().toList())
            .orElse(List.of());
    try {
      long length = parts.files().stat(ref.path()).map(info -> info.length()).orElse(0L);
      return new FileInfo(group, ref.path().toString(), length, families);
    } catch (IOException e) {
      throw new UnavailableException("file " + ref.path() + " cannot be looked at: " + e, e);
    }
  }
}
