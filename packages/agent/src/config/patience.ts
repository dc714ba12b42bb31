import type { PatienceConfig } from "./config.ts";

export type Patience = Required<PatienceConfig>;

export const defaultPatience: Patience = {
  // A long conversation on a slow local model takes a minute to read; a server that says nothing for two is stuck.
  firstByteTimeoutMs: 120_000,
  // Models that think in silence have been seen to be silent for minutes.
  idleTimeoutMs: 300_000,
  pingsCount: false,
  maxRetries: 5,
  firstRetryMs: 500,
  // Nobody sits in front of a screen for longer without wanting to be asked.
  maxRetryAfterMs: 120_000,
};
