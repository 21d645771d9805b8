package io.stele.server;

import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

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
      Object handling =
          Proxy.newProxyInstance(
              handler.getClassLoader(),
              new Class<?>[] {handler},
              (self, method, arguments) -> answer(work, self, method.getName(), arguments));
      var _ =
          signal
              .getMethod("handle", signal, handler)
              .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), handling);
      return true;
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }

  private static @Nullable Object answer(
      Runnable work, Object self, String method, @Nullable Object @Nullable [] arguments) {
    return switch (method) {
      case "handle" -> {
        Thread.startVirtualThread(work);
        yield null;
      }
      case "equals" -> arguments != null && self == arguments[0];
      case "hashCode" -> System.identityHashCode(self);
      default -> "looks for versions of datasets";
    };
  }
}
