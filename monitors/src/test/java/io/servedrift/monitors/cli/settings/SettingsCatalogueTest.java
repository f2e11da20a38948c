package io.servedrift.monitors.cli.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SettingsCatalogueTest {

  @Test
  void listsEveryConstantOnce() {
    assertThat(SettingsCatalogue.all()).isNotEmpty();
    assertThat((List<?>) SettingsCatalogue.all()).isEqualTo(constants(SettingsCatalogue.class));
    assertThat(GatewayCatalogue.all()).isNotEmpty();
    assertThat((List<?>) GatewayCatalogue.all()).isEqualTo(constants(GatewayCatalogue.class));
    assertThat((List<?>) ImportCatalogue.all()).isEqualTo(constants(ImportCatalogue.class));
  }

  private static List<Object> constants(Class<?> catalogue) {
    return Arrays.stream(catalogue.getFields())
        .filter(field -> Modifier.isStatic(field.getModifiers()))
        .map(SettingsCatalogueTest::valueOf)
        .toList();
  }

  private static List<Setting<?>> everySetting() {
    List<Setting<?>> every = new ArrayList<>(SettingsCatalogue.all());
    every.addAll(GatewayCatalogue.all());
    every.addAll(ImportCatalogue.all());
    return every;
  }

  @Test
  void everySettingHasAReadableDefaultOrSaysWhatHoldsWithoutOne() {
    for (Setting<?> setting : everySetting()) {
      if (setting.defaultText() == null) {
        assertThat(setting.defaultNote()).as(setting.key()).isNotBlank();
      } else {
        assertThat(setting.type().read(setting.defaultText())).as(setting.key()).isNotNull();
      }
      assertThat(setting.description()).as(setting.key()).endsWith(".");
    }
  }

  @Test
  void everyKeyIsKebabCaseAndUnique() {
    assertThat(everySetting())
        .extracting(Setting::key)
        .doesNotHaveDuplicates()
        .allMatch(key -> key.matches("[a-z]+(-[a-z]+)*"));
  }

  private static Object valueOf(Field field) {
    try {
      return field.get(null);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
