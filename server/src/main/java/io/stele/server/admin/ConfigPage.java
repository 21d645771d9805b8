package io.stele.server.admin;

import io.stele.base.settings.KnownSetting;
import io.stele.base.settings.Setting;
import io.stele.base.settings.Settings;
import io.stele.base.settings.SettingsSchema;
import io.stele.gateway.admin.AdminAnswer;
import io.stele.gateway.admin.AdminPage;
import io.stele.gateway.admin.AdminRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.regex.Pattern;

/**
 * {@code GET /config}: every setting, its value, where that came from, and what it does. What
 * settings mark as secret is hidden, and so are the user and password of a URI.
 *
 * <pre>{@code
 * {"server.port": {"value": "7835", "origin": "default", "default": "7835", "about": "The port …"}}
 * }</pre>
 */
final class ConfigPage implements AdminPage {
  private static final String HIDDEN = "(hidden)";
  private static final Pattern CREDENTIALS = Pattern.compile("(://)[^/@\\s]*@");

  private final SettingsSchema schema;
  private final Settings settings;

  ConfigPage(SettingsSchema schema, Settings settings) {
    this.schema = schema;
    this.settings = settings;
  }

  @Override
  public AdminAnswer answer(AdminRequest request) {
    SortedMap<String, Setting> values = settings.values();
    Map<String, Object> all = new LinkedHashMap<>();
    for (KnownSetting known : schema.known()) {
      Setting setting = values.get(known.key());
      Map<String, Object> shown = new LinkedHashMap<>();
      if (setting != null) {
        shown.put("value", shown(known, setting.value()));
        shown.put("origin", setting.origin().toString());
      }
      shown.put("default", known.defaultValue());
      shown.put("about", known.about());
      all.put(known.key(), shown);
    }
    return AdminAnswer.json(all);
  }

  private static String shown(KnownSetting known, String value) {
    return known.secret() && !value.isEmpty()
        ? HIDDEN
        : CREDENTIALS.matcher(value).replaceAll("$1" + HIDDEN + "@");
  }
}
