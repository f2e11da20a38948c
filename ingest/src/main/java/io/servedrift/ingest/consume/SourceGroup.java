package io.servedrift.ingest.consume;

import io.servedrift.ingest.adapters.UnfitSourceException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks who is in the group that keeps the places, before a place is read or committed. */
final class SourceGroup {
  private static final Logger LOG = LoggerFactory.getLogger(SourceGroup.class);
  private static final Duration ANSWER = Duration.ofSeconds(5);
  private static final int MOST_NAMES = 3;

  private SourceGroup() {}

  /**
   * Refuses a group with members: they would commit to the same places. Where this cannot be known
   * (no right to describe the group, no answer) the first commit tells.
   *
   * @throws UnfitSourceException when there are members
   */
  static void requireUnshared(SourceTopic source) throws UnfitSourceException {
    List<String> members = members(source);
    if (!members.isEmpty()) {
      throw new UnfitSourceException(
          shared(source.group(), " (" + String.join(", ", members) + ")")
              + "; nothing was read and no place changed");
    }
  }

  /** The same words, whenever it is noticed. */
  static String shared(String group, String members) {
    return "the consumer group "
        + group
        + " has members"
        + members
        + " that share the partitions among them; name another with --source-group";
  }

  private static List<String> members(SourceTopic source) {
    try (Admin admin = Admin.create(settings(source))) {
      return names(
          admin
              .describeConsumerGroups(List.of(source.group()))
              .all()
              .get(ANSWER.toSeconds(), TimeUnit.SECONDS)
              .values()
              .stream()
              .flatMap(group -> group.members().stream())
              .toList());
    } catch (ExecutionException | TimeoutException | KafkaException e) {
      // Also when there is no such group, as before its first commit.
      LOG.debug("{}: the group {} is not known: {}", source.topic(), source.group(), e.toString());
      return List.of();
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  private static List<String> names(Collection<MemberDescription> members) {
    List<String> names =
        members.stream()
            .map(member -> member.clientId() + " at " + member.host().replaceFirst("^/", ""))
            .sorted()
            .limit(MOST_NAMES)
            .collect(Collectors.toList());
    if (members.size() > MOST_NAMES) {
      names.add((members.size() - MOST_NAMES) + " more");
    }
    return names;
  }

  private static Map<String, Object> settings(SourceTopic source) {
    Map<String, Object> settings = new HashMap<>(source.kafka());
    settings.keySet().retainAll(AdminClientConfig.configNames());
    settings.putIfAbsent(AdminClientConfig.CLIENT_ID_CONFIG, "servedrift-import");
    settings.putIfAbsent(AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    // Closing the client waits for what it was asked.
    settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) ANSWER.toMillis());
    settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) ANSWER.toMillis());
    return settings;
  }
}
