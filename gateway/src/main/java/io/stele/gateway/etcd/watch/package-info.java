/** etcd's watches: any number on one stream. */
@NullMarked
package io.stele.gateway.etcd.watch;

import org.jspecify.annotations.NullMarked;
