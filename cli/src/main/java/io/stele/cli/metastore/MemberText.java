package io.stele.cli.metastore;

import io.stele.cli.TextTable;
import io.stele.client.metastore.Member;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Members, for people and for programs. */
final class MemberText {

  private MemberText() {}

  static List<Map<String, Object>> json(List<Member> members) {
    return members.stream().map(MemberText::json).toList();
  }

  static Map<String, Object> json(Member member) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("id", member.id());
    object.put("native", member.serviceAddress());
    object.put("raft", member.raftAddress());
    return object;
  }

  static String table(List<Member> members) {
    TextTable table = new TextTable("ID", "NATIVE", "RAFT");
    members.forEach(
        member -> table.row(member.id(), member.serviceAddress(), member.raftAddress()));
    return table.toString();
  }
}
