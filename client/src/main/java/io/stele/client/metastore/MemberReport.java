package io.stele.client.metastore;

import io.stele.base.error.SteleException;

/** What became of asking a member how it is. */
public sealed interface MemberReport {
  /** The address that was asked. */
  String address();

  record Reached(String address, MemberStatus status) implements MemberReport {}

  record Failed(String address, SteleException problem) implements MemberReport {}
}
