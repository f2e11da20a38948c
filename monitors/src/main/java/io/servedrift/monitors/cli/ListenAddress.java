package io.servedrift.monitors.cli;

import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.cli.settings.SettingsCatalogue;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/**
 * Where the HTTP server is to listen.
 *
 * @param host host name or address
 * @param port port; 0 takes a free one
 */
record ListenAddress(String host, int port) {

  /** As the settings say. */
  static ListenAddress of(Settings settings) {
    return new ListenAddress(
        settings.get(SettingsCatalogue.HTTP_HOST), settings.get(SettingsCatalogue.HTTP_PORT));
  }

  /** The same host with whatever port is free. */
  ListenAddress withFreePort() {
    return new ListenAddress(host, 0);
  }

  /** Whether the server could listen here now: asked before the slow parts are started. */
  boolean isFree() {
    try (ServerSocket probe = new ServerSocket()) {
      probe.setReuseAddress(true);
      probe.bind(new InetSocketAddress(host, port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Fails when the server could not listen here.
   *
   * @throws CommandFailure saying what to do
   */
  void requireFree() {
    if (!isFree()) {
      throw CommandFailure.usage(taken());
    }
  }

  /** The message for an address that cannot be had. */
  String taken() {
    return "http-host="
        + host
        + ", http-port="
        + port
        + ": cannot listen there, the port is in use or the address is not of this machine;"
        + " --http-port 0 takes a free port";
  }

  /** The address as a URL, with the port that was taken. */
  String url(int boundPort, boolean secure) {
    return (secure ? "https://" : "http://")
        + (host.contains(":") ? "[" + host + "]" : host)
        + ":"
        + boundPort;
  }
}
