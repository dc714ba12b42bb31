import { readFileSync, writeFileSync } from "node:fs";
import type { Outcome } from "@ikigai/core";
import type { Progress } from "@ikigai/protocol";
import { redact, redactJson } from "@ikigai/system";

/**
 * What came of a call, without keys: a tool that prints one has read it where it is stored, and it stays there. A long
 * answer's file is cleaned too.
 */
export function withoutSecrets(outcome: Outcome, secrets: readonly string[]): Outcome {
  if (outcome.overflowFile !== undefined) cleanFile(outcome.overflowFile, secrets);
  const json = redactJson(outcome.json, secrets);
  return json === outcome.json ? outcome : { ...outcome, json, envelope: JSON.parse(json) };
}

/** What a tool says while it works, without keys. */
export function progressWithoutSecrets(progress: Progress, secrets: readonly string[]): Progress {
  const { message } = progress;
  return message === undefined ? progress : { ...progress, message: redact(message, secrets) };
}

function cleanFile(path: string, secrets: readonly string[]): void {
  try {
    const text = readFileSync(path, "latin1");
    // Most often an answer, but not always a whole one.
    const clean = redact(redactJson(text, secrets, { keepsNumbers: true }), secrets);
    if (clean !== text) writeFileSync(path, clean, "latin1");
  } catch {
    // It is gone, or the disk is full: then it is private, as before.
  }
}
