/** Stele as etcd's clients see it: beside etcd itself, and with its own programs. */
@NullMarked
package io.stele.it.etcd;

import org.jspecify.annotations.NullMarked;
