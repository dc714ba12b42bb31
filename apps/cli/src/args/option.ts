// What an option is, and those of a conversation.

import { permissionModes } from "@ikigai/agent/permission-modes";

/** What a shell completes a value with; without one of these, nothing. */
export type Completion =
  | "call"
  | "check"
  | "directory"
  | "file"
  | "installed"
  | "mcp-server"
  | "mcp-tool"
  | "model"
  | "model-provider"
  | "other-agent"
  | "provider"
  | "rule"
  | "session"
  | "setting"
  | "tool"
  | "tool-argument"
  | "tool-file"
  | "topic";

/** An option of a command line; `value` names its value, in capitals. */
export interface Option {
  readonly short?: string;
  readonly value?: string;
  readonly repeated?: boolean;
  /** The value may be omitted. */
  readonly valueOptional?: boolean;
  /** The only valid values. */
  readonly oneOf?: readonly string[];
  readonly completes?: Completion;
  readonly summary: string;
}

export type Options = Readonly<Record<string, Option>>;

/** A positional argument of a command. */
export interface Operand {
  /** In capitals, for example `NAME`. */
  readonly name: string;
  readonly isOptional?: boolean;
  /** It may be repeated. */
  readonly isRepeated?: boolean;
  /** Values that a shell offers; others are valid too. */
  readonly oneOf?: readonly string[];
  readonly completes?: Completion;
}

/** A subcommand: the single source of its parser, help, completion and manual. */
export interface CommandSyntax {
  /** The words after `ikigai`: `tool list`. */
  readonly name: string;
  readonly summary: string;
  readonly operands: readonly Operand[];
  readonly options: Options;
  /**
   * What it needs: a valid configuration, since it starts tools or a program that fetches one; only the working directory; or nothing, as
   * it only prints.
   */
  readonly needs: "config" | "directory" | "nothing";
  /** It changes what runs, or with which rights: a model's call cannot start it. */
  readonly isForUser: boolean;
  /** After an operand, --help is about that one. */
  readonly explainsOperand?: true;
}

/** The usage of a command, on one line. */
export function usageOf(syntax: CommandSyntax): string {
  return usageParts(syntax).join(" ");
}

/** The usage, split into parts that stay on one line. */
export function usageParts({ name, operands, options }: CommandSyntax): string[] {
  const given = operands.map(({ name: operand, isOptional, isRepeated }) => {
    const text = isRepeated ? `${operand}...` : operand;
    return isOptional ? `[${text}]` : text;
  });
  const optional = Object.entries(options).map(([option, syntax]) => `[${spelled(option, syntax)}]`);
  return [`ikigai ${name}`, ...given, ...optional];
}

/** The longest list of values that a usage shows; a longer one is in the text of the command. In characters. */
const maxListed = 72;

/** An option with its value, as the user types it. */
export function spelled(
  name: string,
  { value, oneOf, valueOptional }: Pick<Option, "value" | "oneOf" | "valueOptional">,
) {
  if (value === undefined) return `--${name}`;
  const listed = oneOf?.join("|") ?? value;
  const text = listed.length > maxListed ? value : listed;
  return `--${name} ${valueOptional ? `[${text}]` : text}`;
}

export const outputFormats = ["text", "json", "stream-json"] as const;
export type OutputFormat = (typeof outputFormats)[number];

export const sandboxOptions = {
  sandbox: { summary: "let tools change only the project, and reach only hosts that you allow" },
  "sandbox-network": { summary: "like --sandbox, with all hosts on the internet allowed" },
} as const satisfies Options;

/** What a conversation is held with, in the REPL, with `-p` and in an editor. */
export const conversationOptions = {
  model: {
    short: "m",
    value: "PROVIDER/MODEL",
    completes: "model",
    summary: "use this model, e.g. anthropic/claude-sonnet-5-5, or offline",
  },
  "max-cost": { value: "DOLLARS", summary: "stop when this run of ikigai has cost so much, e.g. 2.50" },
  "max-minutes": { value: "N", summary: "stop when its turns have taken so long, e.g. 30 or 0.5" },
  "max-turns": { value: "N", summary: "limit the requests to the model per message (default: 500)" },
  "permission-mode": {
    value: "MODE",
    oneOf: permissionModes,
    summary: "decide calls that no rule covers (default: auto if sandboxed, else ask; -p: ask)",
  },
  allow: {
    value: "RULE",
    repeated: true,
    completes: "rule",
    summary: 'allow calls, over configured rules: bash, or "bash(npm test*)"; can be repeated',
  },
  "add-dir": {
    value: "DIR",
    repeated: true,
    completes: "directory",
    summary: "count DIR as the project, too; can be repeated",
  },
  ...sandboxOptions,
} as const satisfies Options;

/** The options of ikigai itself, for the REPL and `-p`. */
export const mainOptions = {
  print: { short: "p", summary: "do one task and print the answer; calls that are not allowed are denied" },
  "output-format": { value: "FORMAT", oneOf: outputFormats, summary: "set what -p prints (default: text)" },
  "output-schema": {
    value: "FILE",
    completes: "file",
    summary: "with -p: answer with JSON that fits the JSON Schema in FILE",
  },
  ...conversationOptions,
  cd: { short: "C", value: "DIR", completes: "directory", summary: "start in DIR instead of this directory" },
  goal: { value: "COMMAND", summary: "let each turn go on until your shell command exits with 0" },
  mcp: {
    value: "FILE",
    repeated: true,
    completes: "file",
    summary: "use the MCP servers in FILE for this conversation; can be repeated",
  },
  replay: {
    value: "SESSION",
    completes: "session",
    summary: "with -p: replay SESSION without running tools; with --model, that model answers",
  },
  continue: { short: "c", summary: "continue this directory's last conversation; with -p, also what -p did last" },
  resume: {
    short: "r",
    value: "SESSION",
    valueOptional: true,
    completes: "session",
    summary: "resume a session by its ID or name; without one, choose from a list",
  },
  fork: { summary: "with --continue or --resume: work on a copy" },
  worktree: {
    short: "w",
    value: "NAME",
    valueOptional: true,
    summary: "work in a git worktree, on the branch ikigai/NAME",
  },
  plain: { summary: "print lines instead of the full screen" },
  help: { short: "h", summary: "show help" },
  version: { short: "v", summary: "print the version" },
} as const satisfies Options;

/** The ways to call ikigai. */
export const synopsis = [
  ['ikigai [OPTIONS] ["PROMPT"]', "start a conversation, optionally with PROMPT"],
  ['ikigai -p "PROMPT" [OPTIONS]', "do one task and print the answer; piped input is added to the prompt"],
  ["ikigai COMMAND …", "run a command; ikigai COMMAND --help explains it"],
] as const;
