package io.stele.server;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.stele.server.log.JdkLog;
import io.stele.server.log.LogOutput;
import java.util.List;
import java.util.logging.Logger;

/**
 * What the log shows where no {@code logback.xml} says otherwise: Stele's own events and others'
 * warnings, on standard error. In code, since reading a file of it would take a tenth of the start.
 */
@ConfiguratorRank(ConfiguratorRank.FALLBACK + 1)
public final class LogSetup extends ContextAwareBase implements Configurator {
  /**
   * Tell, with a stack trace each, of clients that went away while something was sent to them, or
   * that sent what is no message. Held here, as the JDK forgets loggers that nobody holds.
   */
  private static final List<Logger> NOISY =
      List.of(
          Logger.getLogger("io.grpc.netty.NettyServerHandler"),
          Logger.getLogger("io.grpc.internal.SerializeReentrantCallsDirectExecutor"));

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    LogOutput.setUp(context);
    // gRPC logs by the JDK's own means, and tells of its start.
    Logger others = Logger.getLogger("");
    others.setLevel(java.util.logging.Level.WARNING);
    JdkLog.replaceHandlers(others);
    NOISY.forEach(logger -> logger.setLevel(java.util.logging.Level.OFF));
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }
}
