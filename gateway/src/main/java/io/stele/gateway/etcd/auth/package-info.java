/** etcd's users and roles: who may do what to which keys. */
@NullMarked
package io.stele.gateway.etcd.auth;

import org.jspecify.annotations.NullMarked;
