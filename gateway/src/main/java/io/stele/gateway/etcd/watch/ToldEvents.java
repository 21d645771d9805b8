package io.stele.gateway.etcd.watch;

import io.stele.gateway.etcd.call.Ranges;
import io.stele.gateway.etcd.kv.ToEtcd;
import io.stele.metastore.watch.KeyEvent;
import io.stele.protocol.etcd.Event;
import io.stele.protocol.etcd.KeyValue;
import org.jspecify.annotations.Nullable;

/**
 * Events as etcd tells them. Watchers of one key are told the same event one after the other, so
 * the last one is kept: with a thousand watchers it is made once.
 *
 * <p>Any thread may ask. What is kept is one immutable value behind a volatile field; of two
 * threads that take turns each makes its own again, and both are right.
 */
final class ToldEvents {
  private record Told(KeyEvent event, Event message) {}

  private volatile @Nullable Told last;

  @SuppressWarnings("ReferenceEquality") // the hub gives all watchers the very same one
  Event event(KeyEvent event) {
    Told known = last;
    if (known == null || known.event != event) {
      known = new Told(event, message(event));
      last = known;
    }
    return known.message;
  }

  private static Event message(KeyEvent event) {
    Event.Builder told = Event.newBuilder();
    if (event.deleted()) {
      told.setType(Event.EventType.DELETE)
          .setKv(
              KeyValue.newBuilder()
                  .setKey(Ranges.bare(event.now().key()))
                  .setModRevision(event.now().modified()));
    } else {
      told.setKv(ToEtcd.keyValue(event.now()));
    }
    event.before().ifPresent(before -> told.setPrevKv(ToEtcd.keyValue(before)));
    return told.build();
  }
}
