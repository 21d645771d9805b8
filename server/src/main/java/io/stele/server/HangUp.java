package io.stele.server;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * The signal HUP, by which daemons are told to look again. The JDK has no way to it but classes
 * that compilers warn of, which is why they are named at run time.
 */
final class HangUp {
  private HangUp() {}

  /**
   * Has something done at each signal, on a thread of its own, in place of ending the process.
   *
   * @return false where there is no such signal
   */
  static boolean run(Runnable work) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      MethodHandle handling =
          MethodHandles.lookup()
              .findStatic(
                  HangUp.class,
                  "handle",
                  MethodType.methodType(void.class, Runnable.class, Object.class))
              .bindTo(work);
      var _ =
          signal
              .getMethod("handle", signal, handler)
              .invoke(
                  null,
                  signal.getConstructor(String.class).newInstance("HUP"),
                  MethodHandleProxies.asInterfaceInstance(handler, handling));
      return true;
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }

  /** Called by its name. */
  @SuppressWarnings("unused")
  private static void handle(Runnable work, Object signal) {
    Thread.startVirtualThread(work);
  }
}
