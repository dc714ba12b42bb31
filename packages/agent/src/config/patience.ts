import type { PatienceConfig } from "./config.ts";

export type Patience = Required<PatienceConfig>;

export const defaultPatience: Patience = {
  // A slow local model takes a minute to read a long conversation; a server that sends nothing for two is stuck.
  firstByteTimeoutMs: 120_000,
  // Models that reason without output can be silent for minutes.
  idleTimeoutMs: 300_000,
  pingsCount: false,
  maxRetries: 5,
  firstRetryMs: 500,
  // Users do not want to wait longer than this without being asked.
  maxRetryAfterMs: 120_000,
};
