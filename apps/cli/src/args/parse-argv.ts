// Reads the command line: which kind of start it asks for, with the options of a conversation. In reading order: the results, how words are
// read, and each group of options. The folder: parse-argv ← read-options (by the tables of option, commands and command-groups) ← usage-error.

import type { SandboxFlags } from "@ikigai/agent/internal";
import type { PermissionMode } from "@ikigai/permission";
import {
  type CommandName,
  commandGroup,
  findCommand,
  firstWords,
  hasOwnHelp,
  isCommandGroup,
  namesInGroup,
} from "./commands.ts";
import { mainOptions, type OutputFormat } from "./option.ts";
import { readOptions } from "./read-options.ts";
import { UsageError } from "./usage-error.ts";

/** The options of one conversation; the configuration supplies what is missing. */
export interface SessionFlags extends SandboxFlags {
  /** `provider/model`. */
  readonly model?: string;
  /** Limit of requests to the model per turn. */
  readonly maxTurns?: number;
  /** Limits in US dollars, and in minutes of work. */
  readonly maxCost?: number;
  readonly maxMinutes?: number;
  /** The command that has to end with 0 before a turn ends. */
  readonly goal?: string;
  readonly permissionMode?: PermissionMode;
  /** Session whose recorded answers and results replace the model and the tools. */
  readonly replay?: string;
  /** The file of the JSON Schema that the answer must fit. */
  readonly schemaFile?: string;
  /** Rules for calls that need no question. */
  readonly allow: readonly string[];
  /** Directories that count as the project, too, as the user names them. */
  readonly directories?: readonly string[];
  /** Where to start instead of the working directory. */
  readonly startDirectory?: string;
  /** Files with MCP servers for this conversation. */
  readonly serverFiles?: readonly string[];
  /** The session to continue: the last one of this directory, one by its ID, or one that the user chooses. */
  readonly session?: "last" | "pick" | { readonly id: string };
  /** The name of the git worktree to work in; empty for one of its own. */
  readonly worktree?: string;
  /** Continues a copy of the session. */
  readonly isFork?: boolean;
  /** Prints lines instead of the full screen. */
  readonly isPlain?: boolean;
}

/** A parsed command line. */
export type Invocation =
  | { readonly kind: "version" }
  /** The words of the topic or command; empty for the overview. */
  | { readonly kind: "help"; readonly about: readonly string[] }
  /** A group without one of its commands: `ikigai config`. */
  | { readonly kind: "group"; readonly group: string }
  /** A request of a shell's completion: the words so far, the last of which is completed. */
  | { readonly kind: "complete"; readonly words: readonly string[] }
  | { readonly kind: "command"; readonly name: CommandName; readonly args: readonly string[] }
  | { readonly kind: "print"; readonly prompt: string; readonly format: OutputFormat; readonly flags: SessionFlags }
  | {
      readonly kind: "repl";
      /** The first message; may be empty. */
      readonly message: string;
      /** It follows `--`, so it is not a mistyped command. */
      readonly isMessage: boolean;
      readonly flags: SessionFlags;
    };

/**
 * Reads the command line that `--help` describes.
 *
 * @throws UsageError for an invalid command line.
 */
export function parseArgv(argv: readonly string[]): Invocation {
  const [first = "", ...rest] = argv;
  const completed = argv.indexOf(completeWord);
  if (completed >= 0 && isOnlyOptions(argv.slice(0, completed)))
    return { kind: "complete", words: argv.slice(completed + 1) };
  // Whatever else an alias puts before it, Tab must not start a conversation.
  if (completed >= 0 && first.startsWith("-")) return { kind: "complete", words: [] };
  if (firstWords.includes(first)) return parseCommand(argv);
  if (first === "version" && rest.length === 0) return { kind: "version" };
  const { flags, values, operands } = readOptions(withOptionalValues(argv), mainOptions);
  if (flags.has("help")) return { kind: "help", about: [] };
  if (flags.has("version")) return { kind: "version" };
  const isMessage = argv.includes("--");
  const message = isMessage ? operands.join(" ") : onlyOperand(operands, argv, flags.has("print"));
  const sessionFlags = {
    ...readSessionFlags(values),
    ...readSandboxFlags(flags),
    ...readScreenFlags(flags, values.resume?.[0]),
    ...readWorktree(values.worktree?.[0]),
  };
  if (flags.has("print")) {
    if (sessionFlags.session === "pick")
      throw new UsageError(
        "Missing the ID of --resume: -p cannot ask. --continue continues this directory's last session.",
      );
    if (values.replay && values.mcp) throw new UsageError("--replay runs no tool, so it needs no --mcp.");
    const format = (values["output-format"]?.[0] ?? "text") as OutputFormat;
    return { kind: "print", prompt: message, format, flags: sessionFlags };
  }
  if (values["output-format"]) throw new UsageError('--output-format needs -p "PROMPT".');
  if (values["output-schema"]) throw new UsageError('--output-schema needs -p "PROMPT".');
  if (values.replay) throw new UsageError("--replay needs -p.");
  return { kind: "repl", message, isMessage, flags: sessionFlags };
}

/** The hidden command that the completion scripts call. */
const completeWord = "__complete";

/** Whether words are options and their values, which an alias may put before the word that completes. */
function isOnlyOptions(words: readonly string[]): boolean {
  return words.every((word, index) => /^-./.test(word) || /^-./.test(words[index - 1] ?? ""));
}

/** The message, which is one operand: nothing guesses whether several words are a sentence or a mistyped command. */
function onlyOperand(operands: readonly string[], argv: readonly string[], isPrint: boolean): string {
  const [message = "", ...others] = operands;
  const words = operands.join(" ");
  if (firstWords.includes(message) && !isPrint) {
    const options = argv.filter((word) => word.startsWith("-")).join(" ");
    throw new UsageError(
      `Options come after the command: ikigai ${words} ${options}. To send it to the model: ikigai -- ${words}`,
    );
  }
  if (others.length === 0) return message;
  const quoted = `${isPrint ? "-p " : ""}${JSON.stringify(words)}`;
  throw new UsageError(`A message is one argument, in quotes: ikigai ${quoted}.`, { got: message, known: firstWords });
}

function parseCommand(given: readonly string[]): Invocation {
  // `ikigai sessions --since 7d` lists them.
  const isListing = given[0] === "sessions" && /^(?:$|-(?!h$|-help$))/.test(given[1] ?? "");
  const argv = isListing ? ["sessions", "list", ...given.slice(1)] : given;
  // What follows -- is another program's.
  const own = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : argv.length);
  const isHelp = own.some((word) => word === "--help" || word === "-h");
  const found = findCommand(argv);
  if (found && hasOwnHelp(found)) return { kind: "command", ...found };
  if (isHelp) return { kind: "help", about: found ? found.name.split(" ") : argv.slice(0, 1) };
  if (found) return { kind: "command", ...found };
  const [group = "", wanted, ...rest] = argv;
  if (wanted === "help") return { kind: "help", about: [group, ...rest] };
  if (wanted === undefined) return { kind: "group", group };
  const known = namesInGroup(isCommandGroup(group) ? group : commandGroup);
  throw new UsageError(`Unknown command "ikigai ${group} ${wanted}". Known: ${known.join(", ")}.`, {
    got: wanted,
    known,
  });
}

/** Allows --resume and --worktree without a value. */
function withOptionalValues(argv: readonly string[]): string[] {
  const names: Readonly<Record<string, string>> = { "-r": "--resume", "-w": "--worktree" };
  return argv.map((word, index) => {
    const name = names[word] ?? word;
    const isOptional = Object.values(names).includes(name);
    return isOptional && /^(-.*)?$/.test(argv[index + 1] ?? "") ? `${name}=` : word;
  });
}

/** @throws UsageError for what cannot be the name of a branch and a directory. */
function readWorktree(name: string | undefined): Pick<SessionFlags, "worktree"> {
  if (name === undefined || name === "") return name === undefined ? {} : { worktree: name };
  if (/^[A-Za-z0-9](?:[\w-]|\.(?=[\w-])){0,63}$/.test(name) && !name.endsWith(".lock")) return { worktree: name };
  throw new UsageError(
    `Expected --worktree NAME with up to 64 letters, digits, ".", "_" and "-", got ${JSON.stringify(name)}. Put the prompt first, in quotes.`,
  );
}

function readScreenFlags(
  flags: ReadonlySet<string>,
  resume: string | undefined,
): Pick<SessionFlags, "session" | "isFork" | "isPlain"> {
  const session =
    resume === undefined ? (flags.has("continue") ? "last" : undefined) : resume === "" ? "pick" : { id: resume };
  if (flags.has("fork") && session === undefined) throw new UsageError("--fork needs --continue or --resume.");
  return { isPlain: flags.has("plain"), isFork: flags.has("fork"), ...(session && { session }) };
}

/** Reads the options of a conversation. */
export function readSessionFlags(
  values: Partial<ReturnType<typeof readOptions<typeof mainOptions>>["values"]>,
): SessionFlags {
  const model = readModelName(values.model?.[0]);
  const maxTurns = values["max-turns"]?.[0];
  const replay = values.replay?.[0];
  const schemaFile = values["output-schema"]?.[0];
  const permissionMode = values["permission-mode"]?.[0] as PermissionMode | undefined;
  if (maxTurns !== undefined && !/^[1-9]\d{0,8}$/.test(maxTurns))
    throw new UsageError(
      `Expected --max-turns to be a whole number from 1 to 999999999, got ${JSON.stringify(maxTurns)}.`,
    );
  return {
    ...(model !== undefined && { model }),
    ...(maxTurns !== undefined && { maxTurns: Number(maxTurns) }),
    ...readLimits(values),
    ...(permissionMode !== undefined && { permissionMode }),
    ...(replay !== undefined && { replay }),
    ...(schemaFile !== undefined && { schemaFile }),
    ...(values.mcp && { serverFiles: values.mcp }),
    ...(values["add-dir"] && { directories: values["add-dir"] }),
    ...(values.cd?.[0] !== undefined && { startDirectory: values.cd[0] }),
    allow: values.allow ?? [],
  };
}

/** @throws UsageError for a limit that is no number above 0, or an empty goal. */
function readLimits(
  values: {
    readonly [Name in "max-cost" | "max-minutes" | "goal"]?: readonly string[];
  },
): Pick<SessionFlags, "maxCost" | "maxMinutes" | "goal"> {
  const read = (name: "max-cost" | "max-minutes") => {
    const text = values[name]?.[0];
    if (text === undefined || (/^\d{1,9}(\.\d{1,9})?$/.test(text) && Number(text) > 0)) return text && Number(text);
    throw new UsageError(`Expected --${name} to be a number above 0, got ${JSON.stringify(text)}.`);
  };
  const [maxCost, maxMinutes] = [read("max-cost"), read("max-minutes")];
  const goal = values.goal?.[0]?.trim();
  if (goal === "") throw new UsageError("--goal is empty. Write a command that exits with 0 when the work is done.");
  return {
    ...(typeof maxCost === "number" && { maxCost }),
    ...(typeof maxMinutes === "number" && { maxMinutes }),
    ...(goal !== undefined && { goal }),
  };
}

/**
 * The value of --model.
 *
 * @throws UsageError when it is empty: an unset variable of a shell must not choose another model.
 */
export function readModelName(model: string | undefined): string | undefined {
  if (model?.trim() !== "") return model;
  throw new UsageError("--model is empty. Write --model PROVIDER/MODEL, or leave it out to use the configured model.");
}

/** Reads the sandbox options; --sandbox-network implies --sandbox. */
export function readSandboxFlags(flags: ReadonlySet<string>): SandboxFlags {
  const sandboxNetwork = flags.has("sandbox-network");
  const sandbox = sandboxNetwork || flags.has("sandbox");
  return { ...(sandbox && { sandbox }), ...(sandboxNetwork && { sandboxNetwork }) };
}
