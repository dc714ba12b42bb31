import { basename, resolve } from "node:path";
import type { RegisteredTool } from "@ikigai/core";
import { outsideArgument } from "@ikigai/core/internal";
import { coerceArguments, commandDirectory, type JsonObject } from "@ikigai/protocol";
import { pathAsMeant, shellWord } from "@ikigai/system";
import { trimBlanks } from "./commands.ts";
import { type GitUse, gitUse } from "./git-commands.ts";
import {
  argumentsRead,
  asToolSpells,
  type DeclaredAccess,
  declaredAccess,
  fileTarget,
  isFileAccess,
  isSearchAccess,
} from "./paths.ts";
import type { PendingCall, Permission } from "./permission.ts";
import { pathPattern } from "./rules.ts";
import { readShell, type SimpleCommand } from "./shell.ts";
import { type PlainUrl, readUrl, takesUrl } from "./urls.ts";

/*
 * What is known about a call before it is judged: its arguments as the tool reads them, and the command, file or address in them. Whether
 * a command runs only git is known here, too: git may have to leave the sandbox.
 */

/** The facts about a call that a decision depends on. */
export interface CallFacts {
  readonly tool: RegisteredTool;
  readonly declared: DeclaredAccess;
  /** By the parameters' own names, not their aliases. */
  readonly args: JsonObject;
  /** The command line, for tools that run one. */
  readonly command?: string;
  /** The parsed command; `undefined` if it cannot be parsed, and for other tools. */
  readonly commands?: readonly SimpleCommand[] | undefined;
  /** Whether the command is written for a shell whose grammar is not read here, so that nothing is known about it. */
  readonly isForeign?: true;
  /** The file that the call would open, symlinks resolved; for tools that name a file. */
  readonly filePath?: { readonly asWritten: string; readonly real: string | undefined };
  /** The address that the call names, if every program finds the same host in it. */
  readonly url?: PlainUrl;
  /** The arguments as one text, for rules about other tools. */
  readonly json: string;
  /** Why the call must run outside the sandbox, in the model's words or ours; absent if it need not. */
  readonly outside?: string;
  /** Whether it is nothing but git commands that record work, and git can do so in the sandbox. */
  readonly records?: true;
}

/** Reads a call like the system tool of this name would: an override of `bash` is judged like `bash`. */
export function factsOf(call: PendingCall, tool: RegisteredTool, permission: GitScene): CallFacts {
  const { projectDir: cwd, sandboxOf } = permission;
  const { arguments: text } = call;
  const { outside, rest: written } = outsideArgument.split(tool, argumentsOf(call));
  const args = argumentsRead(written, declaredAccess(tool));
  const declared = accessOf(tool, args);
  const { access } = declared;
  // Only the system tool's aliases may change the text that rules are compared with.
  const json = normalised(declared.by === "system" ? args : coerceArguments(written, declared.parameters), text, tool);
  const url = takesUrl(tool) && typeof args.url === "string" ? readUrl(args.url) : undefined;
  const leaves = outside !== undefined && sandboxOf?.(tool) !== undefined;
  const facts = { tool, declared, args, json, ...(url && { url }), ...(leaves && { outside }) };
  const command = access?.kind === "run-command" ? args[access.command] : undefined;
  if (typeof command === "string") {
    const whole = withDirectory(command, commandDirectory(args, declared.parameters), cwd);
    return withGit({ ...facts, ...commandFacts(whole, tool) }, call, permission);
  }
  const path = isFileAccess(access) ? args[access.path] : undefined;
  return typeof path === "string"
    ? { ...facts, filePath: { asWritten: path, real: fileTarget(path, declared, cwd) } }
    : withSpelledPath(facts, cwd);
}

/** The access that a call needs: a language server may be told to write what it proposes. */
function accessOf(tool: RegisteredTool, { apply }: JsonObject): DeclaredAccess {
  const declared = declaredAccess(tool);
  const { access } = declared;
  if (!tool.schema.ikigai?.diagnostics || access?.kind !== "read-file" || !apply) return declared;
  return { ...declared, access: { ...access, kind: "edit-file" } };
}

/** In the sandbox, git can write to the repository if that is all the command does. Otherwise it has to leave it, whatever the model says. */
function withGit(facts: CallFacts, { recordingProblem }: PendingCall, permission: GitScene): CallFacts {
  const use = gitUseOf(facts, permission);
  if (use === undefined) return facts;
  if (use === "records" && recordingProblem === "") {
    const { outside: _, ...inside } = facts;
    return { ...inside, records: true };
  }
  if (facts.outside !== undefined) return facts;
  const why = use === "records" && recordingProblem ? `: ${recordingProblem}` : "";
  return { ...facts, outside: `git writes to the repository, which is read-only in the sandbox${why}` };
}

type GitScene = Pick<Permission, "projectDir" | "sandboxOf" | "gitWrites"> &
  Partial<Pick<Permission, "mode" | "rules">>;

/** What a call does to the repository, if it runs in the sandbox, where the project can be changed but not that. */
export function gitUseOf(
  facts: CallFacts,
  { projectDir, sandboxOf, mode, gitWrites, rules }: GitScene,
): GitUse | undefined {
  const { tool, commands, args, declared } = facts;
  const sandbox = sandboxOf?.(tool);
  const isHeld = mode === "auto" ? sandbox !== undefined : mode !== "plan" && sandbox === "on";
  const isOurs = tool.scope === "system" && declared.by === "system" && args.background !== true;
  if (!isHeld || gitWrites || !isOurs) return undefined;
  const use = gitUse(commands, projectDir);
  // What rules hide, git would take for a deleted file.
  return use === "records" && rules?.some(({ rule }) => pathPattern(rule) !== undefined) ? "writes" : use;
}

/** A search as its tool would make it. */
function withSpelledPath(facts: CallFacts, cwd: string): CallFacts {
  const { args, declared } = facts;
  if (!isSearchAccess(declared.access)) return facts;
  const { path: name } = declared.access;
  const path = args[name];
  return typeof path === "string" ? { ...facts, args: { ...args, [name]: asToolSpells(path, declared, cwd) } } : facts;
}

/** A command that is to run in another directory, as the shell would be told. */
function withDirectory(command: string, directory: string | undefined, cwd: string): string {
  const place = directory === undefined ? cwd : resolve(cwd, pathAsMeant(directory));
  return place === resolve(cwd) ? command : `cd ${shellWord(place)} && ${command}`;
}

function commandFacts(text: string, { shell }: RegisteredTool): Pick<CallFacts, "command" | "commands" | "isForeign"> {
  const command = trimBlanks(text);
  // Commands are read as sh and bash read them.
  const isRead = shell === undefined || ["bash", "dash", "sh"].includes(basename(shell));
  return isRead ? { command, commands: readShell(text) } : { command, isForeign: true };
}

/** Returns the parsed arguments of a call; parses them only if needed. */
export function argumentsOf({ arguments: text, value }: PendingCall): JsonObject {
  return value ?? (JSON.parse(text) as JsonObject);
}

/** One spelling for equal arguments, in the order of the tool's schema: a rule does not depend on a model's whitespace and order. */
function normalised(args: JsonObject, text: string, { schema }: RegisteredTool): string {
  const known = Object.keys(schema.parameters.properties ?? {});
  const others = Object.keys(args).filter((name) => !known.includes(name));
  const names = [...known.filter((name) => Object.hasOwn(args, name)), ...others.sort()];
  try {
    return JSON.stringify(Object.fromEntries(names.map((name) => [name, args[name]])));
  } catch {
    // Too deeply nested to print.
    return text;
  }
}

/**
 * Returns the argument without which it is unknown what a call would do: one that the system tool requires, or the command, file
 * or address that its rules are about. No rule must come from such a call: it would be about all calls of the tool.
 */
export function missingArgument({ tool, declared, args }: CallFacts): string | undefined {
  const { access, by } = declared;
  if (by !== "system") return undefined;
  const subject = access?.kind === "run-command" ? access.command : isFileAccess(access) ? access.path : undefined;
  if (subject !== undefined && typeof args[subject] !== "string") return subject;
  const { required } = (tool.system === "unknown" ? undefined : tool.system)?.parameters ?? {};
  return Array.isArray(required)
    ? required.find((name): name is string => typeof name === "string" && !Object.hasOwn(args, name))
    : undefined;
}

/** Whether the tool itself knows a parameter: one that overrides a system tool may have other parameters. */
export function hasParameter({ schema }: Pick<RegisteredTool, "schema">, name: string): boolean {
  const { properties } = schema.parameters;
  return typeof properties === "object" && properties !== null && Object.hasOwn(properties, name);
}
