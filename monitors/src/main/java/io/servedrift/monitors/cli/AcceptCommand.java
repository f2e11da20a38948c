package io.servedrift.monitors.cli;

import io.servedrift.schemas.Topics;
import io.servedrift.schemas.avro.Decision;
import io.servedrift.schemas.avro.DecisionKind;
import io.servedrift.schemas.avro.Finding;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "accept", description = "Take the shift of a finding as the new normal.")
final class AcceptCommand extends DecisionCommand {
  @Parameters(paramLabel = "ID", description = "finding_id.")
  private String id = "";

  AcceptCommand(CommandContext context) {
    super(context);
  }

  @Override
  Decision.Builder decide(BrokerConnection broker, Topics topics) {
    List<Finding> found =
        FindingsTopic.read(broker, topics, finding -> finding.getFindingId().equals(id));
    if (found.isEmpty()) {
      throw CommandFailure.usage("finding " + id + ": not in " + topics.findings());
    }
    Finding last = found.get(found.size() - 1);
    return Decision.newBuilder()
        .setKind(DecisionKind.ACCEPT)
        .setDeployment(last.getDeployment())
        .setConfigId(last.getConfigId())
        .setFindingId(id);
  }
}
