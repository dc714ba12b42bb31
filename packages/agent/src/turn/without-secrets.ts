import { readFileSync, writeFileSync } from "node:fs";
import type { Outcome } from "@ikigai/core";
import type { Progress } from "@ikigai/protocol";
import { redact, redactJson } from "@ikigai/system";

/**
 * Removes keys from a call's result. The tool read the key where it is stored, and there it stays. Also cleans the file of a
 * long result.
 */
export function withoutSecrets<Result extends Outcome>(outcome: Result, secrets: readonly string[]): Result {
  if (outcome.overflowFile !== undefined) cleanFile(outcome.overflowFile, secrets);
  const json = redactJson(outcome.json, secrets);
  return json === outcome.json ? outcome : { ...outcome, json, envelope: JSON.parse(json) };
}

/** Removes keys from a tool's progress. */
export function progressWithoutSecrets(progress: Progress, secrets: readonly string[]): Progress {
  const { message } = progress;
  return message === undefined ? progress : { ...progress, message: redact(message, secrets) };
}

function cleanFile(path: string, secrets: readonly string[]): void {
  try {
    const text = readFileSync(path, "latin1");
    // Usually an envelope, but not always a complete one.
    const clean = redact(redactJson(text, secrets, { keepsNumbers: true }), secrets);
    if (clean !== text) writeFileSync(path, clean, "latin1");
  } catch {
    // The file is missing, or the disk is full: then it stays private, as before.
  }
}
