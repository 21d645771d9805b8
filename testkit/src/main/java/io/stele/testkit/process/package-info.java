/**
 * What process tests need besides {@code io.stele.base.process}: programs that run to their end,
 * networks that can be cut, disks that can be slowed down, and etcd.
 */
@NullMarked
package io.stele.testkit.process;

import org.jspecify.annotations.NullMarked;
