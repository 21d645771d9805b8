/** What a node tells its operators by the admin port, and what they change there. */
@NullMarked
package io.stele.server.admin;

import org.jspecify.annotations.NullMarked;
