package io.stele.testkit.sim;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/**
 * Stands between a component and an interface that it was handed, so that production code needs no
 * hooks for tests.
 */
public final class Intercepted {
  private Intercepted() {}

  /** The rest of a call. */
  @FunctionalInterface
  public interface Rest {
    @Nullable Object proceed() throws Throwable;
  }

  /** What is done around each call of an interface. */
  @FunctionalInterface
  public interface Around {
    @Nullable Object call(Method method, Object[] arguments, Rest rest) throws Throwable;
  }

  /** The target as seen through an interface, with something around each call. */
  public static <T> T of(Class<T> type, T target, Around around) {
    InvocationHandler handler =
        (_, method, given) -> {
          Object[] arguments = given == null ? new Object[0] : given;
          Rest rest = () -> invoke(target, method, arguments);
          return method.getDeclaringClass() == Object.class
              ? rest.proceed()
              : around.call(method, arguments, rest);
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static @Nullable Object invoke(Object target, Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }
}
