package io.stele.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.base.settings.About;
import io.stele.base.settings.Secret;
import io.stele.base.settings.SettingsSchema;
import io.stele.base.text.JsonReader;
import io.stele.gateway.admin.AdminAnswer;
import io.stele.gateway.admin.AdminRequest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConfigPageTest {
  private record Example(
      @About("Where.") String files, @About("Who.") @Secret String password, int size) {}

  private static Map<?, ?> config(String... flags) {
    SettingsSchema schema =
        SettingsSchema.builder().section("store", new Example("here", "", 3)).build();
    ConfigPage page =
        new ConfigPage(
            schema,
            schema
                .reader()
                .environment(Map.of("STELE_STORE_SIZE", "4"))
                .flags(List.of(flags))
                .merge());
    AdminAnswer answer = page.answer(new AdminRequest("GET", "/config", Map.of(), "", ""));
    return (Map<?, ?>) JsonReader.read(((AdminAnswer.Text) answer).text());
  }

  private static Object field(Map<?, ?> config, String key, String field) {
    return ((Map<?, ?>) config.get(key)).get(field);
  }

  @Test
  void everySettingHasItsValueAndWhereThatCameFrom() {
    Map<?, ?> config = config("store.files=there");

    assertThat(field(config, "store.files", "value")).isEqualTo("there");
    assertThat(field(config, "store.files", "origin")).isEqualTo("flag --set");
    assertThat(field(config, "store.files", "default")).isEqualTo("here");
    assertThat(field(config, "store.files", "about")).isEqualTo("Where.");
    assertThat(field(config, "store.size", "value")).isEqualTo("4");
    assertThat(field(config, "store.size", "origin")).isEqualTo("environment STELE_STORE_SIZE");
    assertThat(field(config, "store.password", "origin")).isEqualTo("default");
  }

  @Test
  void secretsAreShownToNobody() {
    Map<?, ?> config = config("store.password=xyz", "store.files=s3a://key:xyz@bucket/dir");

    assertThat(config.toString()).doesNotContain("xyz");
    assertThat(field(config, "store.password", "value")).isEqualTo("(hidden)");
    assertThat(field(config, "store.files", "value")).isEqualTo("s3a://(hidden)@bucket/dir");
    assertThat(field(config(), "store.password", "value")).as("nothing to hide").isEqualTo("");
  }
}
