import type { RegisteredTool } from "@ikigai/core";
import { type JsonObject, renameAliases } from "@ikigai/protocol";
import { type DeclaredAccess, declaredAccess, isFileAccess } from "./declared-access.ts";
import type { PendingCall } from "./permission.ts";
import { realTarget } from "./real-target.ts";
import { trimBlanks } from "./shell/command-rule.ts";
import { readShell, type SimpleCommand } from "./shell/read-shell.ts";

/** What a decision about a call rests on. */
export interface CallFacts {
  readonly tool: RegisteredTool;
  readonly declared: DeclaredAccess;
  /** With the parameters' own names. */
  readonly args: JsonObject;
  /** The command line, of tools that run one. */
  readonly command?: string;
  /** What it runs; `undefined` when that is not understood, and of other tools. */
  readonly commands?: readonly SimpleCommand[] | undefined;
  /** What the call would open, links resolved; of the tools that name a file. */
  readonly filePath?: { readonly asWritten: string; readonly real: string | undefined };
  /** The arguments as one text, for rules about tools that are neither. */
  readonly json: string;
}

/** Reads a call as the system's tool of this name would: an override of `bash` is asked about like `bash`. */
export function factsOf(call: PendingCall, tool: RegisteredTool, cwd: string): CallFacts {
  const { arguments: text } = call;
  const declared = declaredAccess(tool);
  const { access } = declared;
  const written = argumentsOf(call);
  const args = renameAliases(written, declared.aliases);
  // Only the system's aliases may change what a rule is compared with.
  const json = declared.by === "system" ? normalised(args, text) : normalised(written, text);
  const facts = { tool, declared, args, json };
  const command = access?.kind === "run-command" ? args[access.command] : undefined;
  if (typeof command === "string") return { ...facts, command: trimBlanks(command), commands: readShell(command) };
  const path = isFileAccess(access) ? args[access.path] : undefined;
  return typeof path === "string" ? { ...facts, filePath: { asWritten: path, real: realTarget(path, cwd) } } : facts;
}

/** The arguments of a call, parsed unless somebody has done so already. */
export function argumentsOf({ arguments: text, value }: PendingCall): JsonObject {
  return value ?? (JSON.parse(text) as JsonObject);
}

/** One spelling for the same arguments, so that a rule does not depend on a model's spaces. */
function normalised(args: JsonObject, text: string): string {
  try {
    return JSON.stringify(args);
  } catch {
    // Deeper than can be printed.
    return text;
  }
}
