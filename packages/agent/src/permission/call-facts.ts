import type { RegisteredTool } from "@ikigai/core";
import { canonicalArguments, type JsonObject } from "@ikigai/protocol";
import type { PendingCall } from "./permission.ts";
import { realTarget } from "./real-target.ts";
import { trimBlanks } from "./shell/command-rule.ts";
import { readShell, type SimpleCommand } from "./shell/read-shell.ts";

/** What a decision about a call rests on. */
export interface CallFacts {
  readonly tool: RegisteredTool;
  readonly args: JsonObject;
  /** The command of `bash`. */
  readonly command?: string;
  /** What it runs; `undefined` when that is not understood, and of other tools. */
  readonly commands?: readonly SimpleCommand[] | undefined;
  /** What the call would open, links resolved; of the tools that name a file. */
  readonly filePath?: { readonly asWritten: string; readonly real: string | undefined };
  /** The arguments as one text, for rules about tools that are neither. */
  readonly json: string;
}

const fileTools = new Set(["file_read", "file_write", "file_edit"]);

/** Reads a call. The names decide, whoever made the tool: an override of `bash` is asked about like `bash`. */
export function factsOf({ name, arguments: text }: PendingCall, tool: RegisteredTool, cwd: string): CallFacts {
  const args = canonicalArguments(name, JSON.parse(text) as JsonObject);
  const facts = { tool, args, json: normalised(args, text) };
  if (name === "bash" && typeof args.command === "string") {
    return { ...facts, command: trimBlanks(args.command), commands: readShell(args.command) };
  }
  if (!fileTools.has(name) || typeof args.file_path !== "string") return facts;
  return { ...facts, filePath: { asWritten: args.file_path, real: realTarget(args.file_path, cwd) } };
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
