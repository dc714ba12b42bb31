import { isUtf8 } from "node:buffer";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Outcome } from "@ikigai/core";
import type { Progress } from "@ikigai/protocol";
import { redact, redactJson, redactJsonInSteps } from "@ikigai/system";
import { systemMessage } from "../model/agent-error.ts";

/**
 * Removes keys from a call's result. The tool read the key where it is stored, and there it stays. Also cleans the file of a
 * long result; if that fails, removes it.
 */
export async function withoutSecrets<Result extends Outcome>(
  outcome: Result,
  secrets: readonly string[],
): Promise<Result> {
  const kept = await withCleanFile(outcome, secrets);
  const json = redactJson(kept.json, secrets);
  return json === kept.json ? kept : { ...kept, json, envelope: JSON.parse(json) };
}

/** Removes keys from a tool's progress. */
export function progressWithoutSecrets(progress: Progress, secrets: readonly string[]): Progress {
  const { message } = progress;
  return message === undefined ? progress : { ...progress, message: redact(message, secrets) };
}

async function withCleanFile<Result extends Outcome>(outcome: Result, secrets: readonly string[]): Promise<Result> {
  const { overflowFile: path } = outcome;
  if (path === undefined || secrets.length === 0) return outcome;
  try {
    await cleanFile(path, secrets);
    return outcome;
  } catch (error) {
    return withoutFile(outcome, path, systemMessage(error));
  }
}

/** Removes a file that may still have keys, and says so in the result. */
function withoutFile<Result extends Outcome>(outcome: Result, path: string, problem: string): Result {
  const what = remove(path) ? "a file that was removed" : "a file that could not be removed";
  const instead = `${what}, because ikigai could not remove keys from it: ${problem}`;
  const quoted = (text: string) => JSON.stringify(text).slice(1, -1);
  const json = outcome.json.replaceAll(quoted(path), () => quoted(instead));
  const notes = outcome.notes.map((note) => note.replaceAll(path, () => instead));
  const { overflowFile: _, ...kept } = { ...outcome, json, envelope: JSON.parse(json), notes };
  return kept as Result;
}

function remove(path: string): boolean {
  try {
    rmSync(path, { force: true });
    return true;
  } catch {
    return false;
  }
}

/** Usually the file has an envelope, but not always a complete one, and not always UTF-8, as which it is read later nonetheless. */
async function cleanFile(path: string, secrets: readonly string[]): Promise<void> {
  const bytes = readFileSync(path);
  let clean = bytes;
  for (const encoding of isUtf8(bytes) ? (["utf8"] as const) : (["latin1", "utf8"] as const)) {
    const text = clean.toString(encoding);
    await nextTurn();
    const steps = redactJsonInSteps(text, secrets, { keepsNumbers: true });
    let step = steps.next();
    while (!step.done) {
      await nextTurn();
      step = steps.next();
    }
    const cleanText = redact(step.value, secrets);
    if (cleanText !== text) clean = Buffer.from(cleanText, encoding);
  }
  if (clean !== bytes) writeFileSync(path, clean);
}
