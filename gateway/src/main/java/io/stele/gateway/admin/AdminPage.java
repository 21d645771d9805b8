package io.stele.gateway.admin;

import java.io.IOException;

/**
 * Answers the requests for one path. It is called on a virtual thread and may wait; what it throws
 * of {@link io.stele.base.error.SteleException} becomes the status of that kind.
 */
@FunctionalInterface
public interface AdminPage {
  AdminAnswer answer(AdminRequest request) throws IOException, InterruptedException;
}
