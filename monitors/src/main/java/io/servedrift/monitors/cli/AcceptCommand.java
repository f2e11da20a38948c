package io.servedrift.monitors.cli;

import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.DecisionKind;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.FindingState;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "accept", description = "Take the shift of an open finding as the new normal.")
final class AcceptCommand extends DecisionCommand {
  @Parameters(paramLabel = "ID", description = "finding_id of an open finding.")
  private String id = "";

  AcceptCommand(CommandContext context) {
    super(context);
  }

  @Override
  Decision.Builder decide(BrokerConnection broker, Topics topics) {
    List<Finding> found =
        FindingsTopic.read(broker, topics, finding -> finding.getFindingId().equals(id));
    Finding last = openOf(id, found, topics.findings());
    return Decision.newBuilder()
        .setKind(DecisionKind.ACCEPT)
        .setDeployment(last.getDeployment())
        .setConfigId(last.getConfigId())
        .setFindingId(id);
  }

  /**
   * The last state of a finding, which must be open: the judge passes over a decision on another.
   *
   * @param found all its states, in order
   * @param topic where they were looked for
   */
  static Finding openOf(String id, List<Finding> found, String topic) {
    if (found.isEmpty()) {
      throw CommandFailure.usage("finding " + id + ": not in " + topic);
    }
    Finding last = found.get(found.size() - 1);
    if (last.getState() != FindingState.OPEN) {
      throw CommandFailure.usage(
          "finding "
              + id
              + ": is "
              + last.getState().name().toLowerCase(Locale.ROOT)
              + "; only an open finding can be accepted");
    }
    return last;
  }
}
