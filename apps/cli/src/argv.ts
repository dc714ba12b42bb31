import { parseArgs } from "node:util";
import { UsageError } from "./usage-error.ts";

export const outputFormats = ["text", "json", "stream-json"] as const;
export type OutputFormat = (typeof outputFormats)[number];

export const permissionModes = ["ask", "allow", "deny"] as const;
export type PermissionMode = (typeof permissionModes)[number];

/** What stands on the command line beside a prompt or a subcommand. */
export interface Options {
  readonly model?: string;
  readonly permissionMode?: PermissionMode;
  readonly allow: readonly string[];
  readonly maxTurns?: number;
  readonly outputFormat: OutputFormat;
}

/** What the user wants done. */
export type Invocation =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | { readonly kind: "repl"; readonly options: Options }
  | { readonly kind: "print"; readonly prompt: string; readonly options: Options }
  | { readonly kind: "command"; readonly name: string; readonly args: readonly string[] };

/** The subcommands, in the order of the help. */
export const commandNames = ["tool", "trust", "doctor"] as const;

/**
 * Reads the command line.
 *
 * @throws UsageError when it says something that ikigai does not know.
 */
export function parseArgv(argv: readonly string[]): Invocation {
  const [first, ...rest] = argv;
  if (first === "help") return { kind: "help" };
  if (first !== undefined && !first.startsWith("-")) {
    if ((commandNames as readonly string[]).includes(first)) return { kind: "command", name: first, args: rest };
    throw new UsageError(`Expected one of ${commandNames.join(", ")}, or -p "prompt", got "${first}".`);
  }
  const { values, positionals } = readOptions(argv);
  if (values.help) return { kind: "help" };
  if (values.version) return { kind: "version" };
  if (positionals.length > 0) {
    throw new UsageError(`Expected options only, got "${positionals[0]}". For a task write: ikigai -p "…"`);
  }
  const options = toOptions(values);
  return values.print === undefined ? { kind: "repl", options } : { kind: "print", prompt: values.print, options };
}

function readOptions(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        help: { type: "boolean", short: "h" },
        version: { type: "boolean", short: "v" },
        print: { type: "string", short: "p" },
        model: { type: "string" },
        "output-format": { type: "string" },
        "max-turns": { type: "string" },
        "permission-mode": { type: "string" },
        allow: { type: "string", multiple: true },
        plain: { type: "boolean" },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function toOptions(values: ReturnType<typeof readOptions>["values"]): Options {
  const permissionMode = values["permission-mode"];
  return {
    allow: values.allow ?? [],
    outputFormat: oneOf("--output-format", outputFormats, values["output-format"] ?? "text"),
    ...(values.model !== undefined && { model: values.model }),
    ...(permissionMode !== undefined && {
      permissionMode: oneOf("--permission-mode", permissionModes, permissionMode),
    }),
    ...(values["max-turns"] !== undefined && { maxTurns: positiveInteger("--max-turns", values["max-turns"]) }),
  };
}

function oneOf<const Known extends string>(option: string, known: readonly Known[], value: string): Known {
  const found = known.find((candidate) => candidate === value);
  if (found === undefined) throw new UsageError(`Expected ${option} to be ${known.join(", ")}, got "${value}".`);
  return found;
}

function positiveInteger(option: string, value: string): number {
  if (/^[1-9]\d*$/.test(value)) return Number(value);
  throw new UsageError(`Expected ${option} to be a number of 1 or more, got "${value}".`);
}
