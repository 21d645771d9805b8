package io.stele.tables.compact;

import io.stele.base.predicate.RowRange;
import io.stele.engine.chain.Chain;
import io.stele.engine.chain.Link;
import io.stele.engine.compaction.FragmentShape;
import io.stele.engine.disk.DiskFragment;
import io.stele.engine.disk.FragmentProperties;
import java.util.ArrayList;
import java.util.List;

/** A tablet's chain as the compaction policy sees it: of shared files only the tablet's part. */
final class ChainShape {
  private ChainShape() {}

  static List<FragmentShape> of(Chain chain, RowRange rows) {
    List<FragmentShape> shapes = new ArrayList<>();
    for (Link link : chain.links()) {
      shapes.add(of((DiskFragment) link.fragment(), rows));
    }
    return shapes;
  }

  private static FragmentShape of(DiskFragment fragment, RowRange rows) {
    FragmentProperties properties = fragment.properties();
    long bytes = Math.min(fragment.bytesIn(rows), fragment.bytes());
    double share = (double) bytes / fragment.bytes();
    long cells = Math.round(properties.cells() * share);
    long erasures = Math.round((properties.cellErasures() + properties.wideErasures()) * share);
    return new FragmentShape(bytes, cells, Math.min(cells, erasures));
  }
}
