// What is known about a call before it is judged: its arguments as the tool reads them, and the command, file or address in them. Then which
// commands are nothing but git, which may have to leave the sandbox.

import { existsSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { RegisteredTool } from "@ikigai/core";
import { outsideArgument } from "@ikigai/core/internal";
import { coerceArguments, commandDirectory, type JsonObject } from "@ikigai/protocol";
import { isInside, pathAsMeant, shellWord } from "@ikigai/system";
import { callDirectory, type PendingCall, type Permission } from "../permission.ts";
import { pathPattern } from "../rules/rules.ts";
import { trimBlanks } from "../shell/commands.ts";
import { gitCommand, withDirectories, wordsProblem } from "../shell/reading.ts";
import { isHarmlessRedirect, readShell, type ShellWord, type SimpleCommand } from "../shell/shell.ts";
import {
  argumentsRead,
  asToolSpells,
  type DeclaredAccess,
  declaredAccess,
  fileTarget,
  isFileAccess,
  isSearchAccess,
  realTarget,
} from "../targets/paths.ts";
import { type PlainUrl, readUrl, takesUrl } from "../targets/urls.ts";

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
  readonly argumentsText: string;
  /** Why the call must run outside the sandbox, in the model's words or ours; absent if it need not. */
  readonly outside?: string;
  /** Whether it is nothing but git commands that record work, and git can do so in the sandbox. */
  readonly commits?: true;
}

/** Reads a call like the system tool of this name would: an override of `bash` is judged like `bash`. */
export function factsOf(call: PendingCall, tool: RegisteredTool, permission: GitScene): CallFacts {
  const { projectDir, sandboxOf } = permission;
  const cwd = callDirectory(permission);
  const { arguments: text } = call;
  const { outside, rest } = outsideArgument.split(tool, argumentsOf(call));
  const written = cwd === projectDir ? rest : withSearchPlace(rest, declaredAccess(tool), cwd);
  const args = argumentsRead(written, declaredAccess(tool));
  const declared = accessOf(tool, args);
  const { access } = declared;
  // Only the system tool's aliases may change the text that rules are compared with.
  const argumentsText = normalised(
    declared.by === "system" ? args : coerceArguments(written, declared.parameters),
    text,
    tool,
  );
  const url = takesUrl(tool) && typeof args.url === "string" ? readUrl(args.url) : undefined;
  const leaves = outside !== undefined && sandboxOf?.(tool) !== undefined;
  const facts = { tool, declared, args, argumentsText, ...(url && { url }), ...(leaves && { outside }) };
  const command = access?.kind === "run-command" ? args[access.command] : undefined;
  if (typeof command === "string") {
    const whole = withDirectory(command, commandDirectory(args, declared.parameters), { cwd, projectDir });
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
function withGit(facts: CallFacts, { gitProblem }: PendingCall, permission: GitScene): CallFacts {
  const use = gitUseOf(facts, permission);
  if (use === undefined) return facts;
  if (use === "commits" && gitProblem === "") {
    const { outside: _, ...inside } = facts;
    return { ...inside, commits: true };
  }
  if (facts.outside !== undefined) return facts;
  const why = use === "commits" && gitProblem ? `: ${gitProblem}` : "";
  return { ...facts, outside: `git writes to the repository, which is read-only in the sandbox${why}` };
}

type GitScene = Pick<Permission, "projectDir" | "cwd" | "sandboxOf" | "gitWrites"> &
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
  return use === "commits" && rules?.some(({ rule }) => pathPattern(rule) !== undefined) ? "writes" : use;
}

/** A search as its tool would make it. */
function withSpelledPath(facts: CallFacts, cwd: string): CallFacts {
  const { args, declared } = facts;
  if (!isSearchAccess(declared.access)) return facts;
  const { path: name } = declared.access;
  const path = args[name];
  return typeof path === "string" ? { ...facts, args: { ...args, [name]: asToolSpells(path, declared, cwd) } } : facts;
}

/** A search in a directory below or beside the project's, as it would be made in that. */
function withSearchPlace(args: JsonObject, declared: DeclaredAccess, cwd: string): JsonObject {
  if (!isSearchAccess(declared.access)) return args;
  const { path: name } = declared.access;
  const read = argumentsRead(args, declared);
  const path = read[name] ?? ".";
  // Not normalised: `link/..` is the parent of the link's target.
  return typeof path !== "string" || isAbsolute(path) ? args : { ...read, [name]: `${cwd}/${path || "."}` };
}

/** A command that is to run in another directory than the project's, as the shell would be told. */
function withDirectory(
  command: string,
  directory: string | undefined,
  { cwd, projectDir }: { readonly cwd: string; readonly projectDir: string },
): string {
  const place = directory === undefined ? resolve(cwd) : resolve(cwd, pathAsMeant(directory));
  return place === resolve(projectDir) ? command : `cd ${shellWord(place)} && ${command}`;
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

/*
 * Which commands are nothing but git. Those that only record work, in words of which all is known, run where git can write to the
 * repository, and no other program can. Others that write to it need to leave the sandbox, so they are asked about before they fail.
 */

/** Commands of git that record work, with the options that they may have. A word that begins like an option counts as one. */
const committingOptions: Readonly<Record<string, RegExp>> = {
  add: /^-(?:|[AuvnN]+|-all|-update|-verbose|-dry-run|-intent-to-add|-renormalize|-chmod=[+-]x)$/,
  branch: /^-(?:q|-quiet)$/,
  checkout: /^-(?:b|q|-quiet|)$/,
  commit:
    /^-(?:|[aqvsn]*(?:m.*|F)?|-(?:message|author|date|fixup|squash|file)(?:=.*)?|-(?:all|quiet|verbose|signoff|amend|no-edit|no-verify|no-gpg-sign|no-status|reset-author|allow-empty|allow-empty-message))$/s,
  mv: /^-(?:|[fknv]+)$/,
  reset: /^-(?:|q|-quiet|-soft|-mixed)$/,
  restore: /^-(?:|[SWq]+|-staged|-worktree|-quiet)$/,
  rm: /^-(?:|[rfqn]+|-cached|-force|-ignore-unmatch|-quiet)$/,
  stash: /^-(?:|[ukSq]*m?|-message(?:=.*)?|-include-untracked|-keep-index|-staged|-index|-quiet)$/s,
  switch: /^-(?:c|q|-create|-quiet)$/,
  tag: /^-(?:a|q|m.*|-annotate|-message(?:=.*)?)$/s,
};

/** Programs that may run beside them: no option and no operand lets one of these write a file or run a program. */
const silent = new Set(
  ": basename cat cut dirname du echo expr false grep head id ls nl od paste pwd realpath rev seq stat tac tail test tr true type wc".split(
    " ",
  ),
);

/** Other commands that write to a repository. */
const writing = new Set(
  (
    "am bisect cherry-pick config fetch gc init merge notes pull push rebase remote revert submodule symbolic-ref update-index " +
    "update-ref worktree"
  ).split(" "),
);

/** What a command of nothing but git does to the repository. */
type GitUse = "commits" | "writes";

/** Returns what a command does to a repository, if it is nothing but git and programs that read; else `undefined`, also if it only reads. */
export function gitUse(commands: readonly SimpleCommand[] | undefined, projectDir: string): GitUse | undefined {
  const project = realTarget(".", projectDir);
  let use: GitUse | undefined;
  let isPlain = project !== undefined;
  for (const { command, directory, target } of withDirectories(commands ?? [], projectDir)) {
    const { words, redirects, before } = command;
    const [name = "", ...rest] = words.map(({ text }) => text);
    if (before === "&" || !redirects.every(isHarmlessRedirect)) return undefined;
    const place =
      name === "git" && rest[0] === "-C" ? realTarget(rest[1] ?? ".", directory ?? "/") : (target ?? directory);
    isPlain &&= isOfProject(place, project) && words.every(isAsGiven);
    if (name === "cd") continue;
    if (wordsProblem(command) === undefined) isPlain &&= readsHere(name, rest);
    else {
      const kind = name === "git" ? useOf(rest) : undefined;
      if (kind === undefined || !isOfProject(place, project)) return undefined;
      use = use === "writes" ? use : kind;
    }
  }
  return use === "commits" && !isPlain ? "writes" : use;
}

/** Whether git finds the repository of the project in a directory. The sandbox lets it write to others in there. */
function isOfProject(place: string | undefined, project: string | undefined): boolean {
  if (place === undefined || project === undefined || !isInside(place, project)) return false;
  return place === project || (!existsSync(join(place, ".git")) && isOfProject(dirname(place), project));
}

/** Whether a word is what the program gets: the name of a file, in place of a pattern, could be an option. */
function isAsGiven({ text, isPattern, isTilde }: ShellWord): boolean {
  return !isTilde && (!isPattern || /^[\w./]/.test(text));
}

/** Whether a program that reads is git in the same repository, or one that cannot do anything else. */
function readsHere(name: string, rest: readonly string[]): boolean {
  return name === "git" ? !rest[0]?.startsWith("-") : silent.has(name);
}

function useOf(texts: readonly string[]): GitUse | undefined {
  const { command = "", rest } = gitCommand(texts);
  const options = Object.hasOwn(committingOptions, command) ? committingOptions[command] : undefined;
  // Another directory becomes a repository.
  if (command === "init" && rest.some((text) => !text.startsWith("-"))) return undefined;
  if (options === undefined) return writing.has(command) ? "writes" : undefined;
  const end = rest.indexOf("--");
  const known = (end < 0 ? rest : rest.slice(0, end)).filter((text) => text.startsWith("-"));
  const isKnown = texts[0] === command && known.every((text) => options.test(text));
  return isKnown && hasOperands(command, rest) ? "commits" : "writes";
}

/** Whether operands do not make another command of it: one that changes to another branch, or throws something away. */
function hasOperands(command: string, rest: readonly string[]): boolean {
  const operands = rest.filter((text) => !text.startsWith("-"));
  const [first = ""] = operands;
  if (command === "branch") return operands.length === 1;
  if (command === "switch") return operands.length === 1 && rest.some((text) => text === "-c" || text === "--create");
  if (command === "checkout") return rest[0] === "--" || (operands.length === 1 && rest.includes("-b"));
  return command !== "stash" || /^(?:|push|save|pop|apply)$/.test(first) || rest[0] === "-m";
}
