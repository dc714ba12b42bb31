// Removes keys from what tools give: the result, the progress, and the file of a result that is too long for the model.

import { createReadStream, createWriteStream, renameSync, rmSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Outcome } from "@ikigai/core";
import { systemMessage } from "@ikigai/models";
import type { Progress } from "@ikigai/protocol";
import { Redactor, redact, redactJson } from "@ikigai/system";

/** How much of a file is read at once, in bytes: a millisecond's work. */
const pieceBytes = 1_048_576;

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

/** Byte by byte: the file may be cut, and is not always UTF-8. Writes nothing unless it has a secret. */
async function cleanFile(path: string, secrets: readonly string[]): Promise<void> {
  const pieces = () => createReadStream(path, { encoding: "latin1", highWaterMark: pieceBytes });
  if (!(await hasSecret(pieces(), secrets))) return;
  const cleanPath = `${path}.clean`;
  try {
    const target = createWriteStream(cleanPath, { encoding: "latin1", mode: 0o600 });
    await pipeline(pieces(), (source: AsyncIterable<string>) => cleanPieces(source, secrets), target);
    renameSync(cleanPath, path);
  } finally {
    rmSync(cleanPath, { force: true });
  }
}

async function hasSecret(pieces: AsyncIterable<string>, secrets: readonly string[]): Promise<boolean> {
  const redactor = new Redactor(secrets);
  for await (const piece of pieces) {
    redactor.push(piece);
    if (redactor.hasFound) return true;
  }
  redactor.end();
  return redactor.hasFound;
}

async function* cleanPieces(pieces: AsyncIterable<string>, secrets: readonly string[]): AsyncGenerator<string> {
  const redactor = new Redactor(secrets);
  for await (const piece of pieces) yield redactor.push(piece);
  yield redactor.end();
}
