import { rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Failure } from "@ikigai/sandbox";
import type { RegisteredTool } from "../registry/registry.ts";
import type { ExecuteOptions } from "./call-options.ts";
import { makeDataDirectory } from "./data-directory.ts";

/*
 * The directories of a session that its tools may change: what one keeps for the length of the session, and what it leaves out of its
 * answers. A project's tool has none, nor one that runs elsewhere, nor a service, which may outlive the session.
 */

/** Returns the directory for a tool that declares `state`. Creates nothing. */
export function stateDirectory(
  tool: RegisteredTool,
  { stateDir }: Pick<ExecuteOptions, "stateDir">,
): string | undefined {
  return isOfSession(tool) && tool.schema.ikigai?.state === true ? stateDir : undefined;
}

/** Returns the directory for the whole of what a tool shows only in part: for one that declares `answerBytes`. Creates nothing. */
export function outputsDirectory(
  tool: RegisteredTool,
  { overflowDir }: Pick<ExecuteOptions, "overflowDir">,
): string | undefined {
  const isOffered = isOfSession(tool) && tool.schema.ikigai?.answerBytes !== undefined;
  return isOffered && overflowDir !== undefined ? join(overflowDir, "outputs") : undefined;
}

function isOfSession({ scope, schema, launcher }: RegisteredTool): boolean {
  return scope !== "project" && !launcher && schema.ikigai?.service === undefined;
}

const made = new Set<string>();

/** Creates it, as `makeDataDirectory` does: a sandbox shows only what exists. What is empty when this process exits is removed. */
export function makeOutputsDirectory(path: string): string | Failure | undefined {
  if (!made.has(path)) process.once("exit", () => removeIfEmpty([path, dirname(path)]));
  made.add(path);
  return makeDataDirectory(path);
}

function removeIfEmpty(directories: readonly string[]): void {
  try {
    for (const directory of directories) rmdirSync(directory);
  } catch {
    // The user may still want what is in it.
  }
}
