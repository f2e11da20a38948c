package io.servedrift.monitors.gate.report;

import io.servedrift.monitors.gate.CheckResult;
import io.servedrift.monitors.gate.CheckState;
import io.servedrift.monitors.gate.GateOutcome;
import io.servedrift.monitors.gate.GateResult;
import io.servedrift.monitors.gate.Measure;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * The result as a JUnit file, for whatever reads those: a case for each check, one for the control
 * and one for the gate as a whole. {@code fail} is a failure; {@code insufficient} is an error,
 * because a reader that shows it green would let an unproven switch through; {@code not_applicable}
 * is skipped. Checks have no time of their own, for they share the answers: none is given. Pure
 * functions.
 */
final class JunitFile {
  private static final String SUITE = "servedrift.gate";

  private JunitFile() {}

  private record Case(String name, CheckState state, String why, List<Measure> measures) {}

  static String of(GateResult result) {
    List<Case> cases = new ArrayList<>();
    cases.add(new Case("gate", state(result.outcome()), result.why(), result.errors()));
    cases.add(
        new Case(
            "aa_control",
            result.control().state(),
            result.control().why(),
            result.control().measures()));
    for (CheckResult check : result.checks()) {
      cases.add(new Case(check.name().label(), check.state(), check.why(), check.measures()));
    }
    StringWriter text = new StringWriter();
    try {
      XMLStreamWriter xml = XMLOutputFactory.newInstance().createXMLStreamWriter(text);
      xml.writeStartDocument("UTF-8", "1.0");
      xml.writeStartElement("testsuites");
      counts(xml, cases);
      xml.writeStartElement("testsuite");
      counts(xml, cases);
      properties(xml, result);
      for (Case one : cases) {
        testCase(xml, one);
      }
      xml.writeStartElement("system-out");
      xml.writeCharacters(clean(result.deciding().text()));
      xml.writeEndElement();
      xml.writeEndElement();
      xml.writeEndElement();
      xml.writeEndDocument();
      xml.close();
    } catch (XMLStreamException e) {
      throw new IllegalStateException("writing into memory cannot fail", e);
    }
    return text + "\n";
  }

  private static CheckState state(GateOutcome outcome) {
    return switch (outcome) {
      case PASS -> CheckState.PASS;
      case FAIL -> CheckState.FAIL;
      case INSUFFICIENT -> CheckState.INSUFFICIENT;
    };
  }

  private static void counts(XMLStreamWriter xml, List<Case> cases) throws XMLStreamException {
    xml.writeAttribute("name", SUITE);
    xml.writeAttribute("tests", Integer.toString(cases.size()));
    xml.writeAttribute("failures", count(cases, CheckState.FAIL));
    xml.writeAttribute("errors", count(cases, CheckState.INSUFFICIENT));
    xml.writeAttribute("skipped", count(cases, CheckState.NOT_APPLICABLE));
  }

  private static String count(List<Case> cases, CheckState state) {
    return Long.toString(cases.stream().filter(one -> one.state() == state).count());
  }

  private static void properties(XMLStreamWriter xml, GateResult result) throws XMLStreamException {
    xml.writeStartElement("properties");
    property(xml, "run_id", result.settings().runId());
    property(xml, "started_at", result.settings().startedAt());
    property(xml, "policy_hash", result.policy());
    property(xml, "old_config_id", String.valueOf(result.oldSide().configId()));
    property(xml, "new_config_id", String.valueOf(result.newSide().configId()));
    property(xml, "outcome", result.outcome().label());
    xml.writeEndElement();
  }

  private static void property(XMLStreamWriter xml, String name, String value)
      throws XMLStreamException {
    xml.writeEmptyElement("property");
    xml.writeAttribute("name", name);
    xml.writeAttribute("value", clean(value));
  }

  private static void testCase(XMLStreamWriter xml, Case one) throws XMLStreamException {
    xml.writeStartElement("testcase");
    xml.writeAttribute("classname", SUITE);
    xml.writeAttribute("name", one.name());
    String element =
        switch (one.state()) {
          case PASS -> "";
          case FAIL -> "failure";
          case INSUFFICIENT -> "error";
          case NOT_APPLICABLE -> "skipped";
        };
    if (!element.isEmpty()) {
      xml.writeStartElement(element);
      xml.writeAttribute("message", clean(one.why()));
      if (one.state() != CheckState.NOT_APPLICABLE) {
        xml.writeAttribute("type", one.state().label());
      }
      xml.writeCharacters(clean(numbers(one.measures())));
      xml.writeEndElement();
    }
    if (one.state() == CheckState.PASS) {
      xml.writeStartElement("system-out");
      xml.writeCharacters(clean(numbers(one.measures())));
      xml.writeEndElement();
    }
    xml.writeEndElement();
  }

  private static String numbers(List<Measure> measures) {
    StringBuilder text = new StringBuilder();
    for (Measure measure : measures) {
      text.append(measure.name())
          .append(" (")
          .append(measure.of())
          .append("): ")
          .append(GateText.estimate(measure))
          .append(", ")
          .append(GateText.basis(measure));
      String margin = GateText.margin(measure);
      text.append(margin.isEmpty() ? "" : ", " + margin)
          .append(": ")
          .append(measure.state().label())
          .append('\n');
    }
    return text.toString();
  }

  /** Without what XML 1.0 cannot hold, in whatever escape. */
  private static String clean(String text) {
    return text.codePoints()
        .map(c -> allowed(c) ? c : '?')
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private static boolean allowed(int c) {
    if (c < 0x20) {
      return c == '\n' || c == '\t';
    }
    return !(c >= 0xd800 && c <= 0xdfff) && c != 0xfffe && c != 0xffff;
  }
}
