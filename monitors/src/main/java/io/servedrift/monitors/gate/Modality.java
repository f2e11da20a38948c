package io.servedrift.monitors.gate;

/** What an endpoint makes. */
public enum Modality {
  IMAGE,
  CHAT
}
