package io.servedrift.ingest.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BodyItemsTest {

  private static final int MANY = 1_000_000;

  @Property
  void cutsArrayIntoExactlyItsElements_whateverTheyHold(
      @ForAll("elements") @Size(max = 20) List<String> elements, @ForAll("spaces") String space)
      throws RefusedException {
    String body =
        space
            + "["
            + elements.stream().map(e -> space + e + space).collect(Collectors.joining(","))
            + (elements.isEmpty() ? space : "")
            + "]"
            + space;

    List<BodyItems.Item> items = BodyItems.json(utf8(body), MANY);

    assertThat(items).allMatch(item -> item.broken() == null);
    assertThat(items).extracting(BodyItemsTest::text).isEqualTo(elements);
  }

  @Property
  void cutsLines_whateverTheyHold(@ForAll("elements") @Size(max = 20) List<String> elements)
      throws RefusedException {
    List<BodyItems.Item> items = BodyItems.lines(utf8(String.join("\n \n", elements)), MANY);

    assertThat(items).extracting(BodyItemsTest::text).isEqualTo(elements);
  }

  @Property
  void neverFailsAndNeverInventsBytes_whenBodyIsGarbage(@ForAll byte[] body)
      throws RefusedException {
    int cut = BodyItems.json(body, MANY).stream().mapToInt(i -> i.payload().length).sum();
    int lines = BodyItems.lines(body, MANY).stream().mapToInt(i -> i.payload().length).sum();

    assertThat(cut).isLessThanOrEqualTo(body.length);
    assertThat(lines).isLessThanOrEqualTo(body.length);
  }

  @Test
  void skipsByteOrderMark_whenThereIsOne() throws RefusedException {
    assertThat(BodyItems.json(utf8("\uFEFF[{},{}]"), MANY)).hasSize(2);
    assertThat(BodyItems.lines(utf8("\uFEFF{}\n{}"), MANY))
        .extracting(BodyItemsTest::text)
        .containsExactly("{}", "{}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[{}", "[{},", "[{},]", "[{}]x", "[{}] [{}]", "[{} {}]", "[{}\u0000]"})
  void keepsWhatCameBeforeAndSaysWhereItBroke_whenArrayIsBroken(String body)
      throws RefusedException {
    List<BodyItems.Item> items = BodyItems.json(utf8(body), MANY);

    assertThat(items).hasSize(2);
    assertThat(items.get(0).broken()).isNull();
    assertThat(text(items.get(0))).isEqualTo("{}");
    assertThat(items.get(1).broken().reason()).isEqualTo("bad_json");
    assertThat(items.get(1).broken().detail()).contains("nothing from here on was read");
  }

  @Test
  void doesNotOverflowTheStack_whenArrayIsVeryDeep() throws RefusedException {
    List<BodyItems.Item> items = BodyItems.json(utf8("[".repeat(500_000)), MANY);

    assertThat(items).hasSize(1);
    assertThat(items.get(0).broken()).isNotNull();
  }

  @Test
  void reportsBrokenArray_whenTextIsUtf16() throws RefusedException {
    List<BodyItems.Item> items = BodyItems.json("[{}]".getBytes(StandardCharsets.UTF_16LE), MANY);

    assertThat(items).hasSize(1);
    assertThat(items.get(0).broken()).isNotNull();
  }

  @Provide
  Arbitrary<List<String>> elements() {
    Arbitrary<String> key =
        Arbitraries.of("a", "\u00e9\u4e2d", "\ud83d\ude00", "]", "},{", "\\\"", "\\n", "\\u005d");
    Arbitrary<String> object =
        key.flatMap(
            k ->
                Arbitraries.of("1", "null", "\"]}\"", "[{\"x\":[]}]", "{}", "-1.5e3")
                    .map(v -> "{\"" + k + "\" : " + v + "}"));
    Arbitrary<String> scalar =
        Arbitraries.of("1", "-2.5", "true", "null", "\"[\"", "[]", "[1,[2]]");
    return Arbitraries.oneOf(object, scalar).list();
  }

  @Provide
  Arbitrary<String> spaces() {
    return Arbitraries.of("", " ", "\n", "\t\r\n ");
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(BodyItems.Item item) {
    return new String(item.payload(), StandardCharsets.UTF_8);
  }
}
