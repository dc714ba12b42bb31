import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { IkigaiError } from "@ikigai/core/errors";
import { hashTool } from "@ikigai/core/trust";
import { isJsonObject, type ToolEnvironment } from "@ikigai/protocol";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import type { RecordedCall, Recording } from "@ikigai/session";
import { shellWord } from "@ikigai/system";
import type { CommandErrorCode } from "../../host/terminal/exit.ts";

/**
 * A recorded call with everything needed to repeat it. It comes from a file that anyone may have written, so it grants no
 * permission, no trust and no variables but these.
 */
export interface MadeCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly sessionId: string;
  readonly path: string;
  readonly scope: string;
  readonly cwd: string;
  /** Hash of the executable at the time; absent if it was not recorded. */
  readonly sha256?: string;
  /** The sandbox it ran in. */
  readonly sandbox?: { readonly network: boolean };
  /** Whether it ran behind a launcher, so that `path` is a command line. */
  readonly isLaunched: boolean;
  /** The protocol's own variables. */
  readonly env: Readonly<Record<string, string>>;
}

/** The only recorded variables that are read, whatever the file contains. */
const recordedNames = [
  "IKIGAI_SHADOWED_TOOL",
  "IKIGAI_SHELL",
  "IKIGAI_PROJECT_DIR",
  "IKIGAI_DATA_DIR",
  "IKIGAI_CALL_ID",
  "IKIGAI_TIMEOUT_MS",
  "IKIGAI_MAX_OUTPUT_BYTES",
  "IKIGAI_ANSWER_BYTES",
] as const satisfies readonly (keyof ToolEnvironment)[];

/** Why a recorded call cannot be repeated. The session file may contain anything, so the text is cut to one line. */
export function notRepeatable(reason: string): IkigaiError<CommandErrorCode> {
  return new IkigaiError("call_not_repeatable", sanitiseLine(reason));
}

/** The call to repeat; undefined if it never ran because it was denied or had no such tool. */
export function madeCall({ id, name, arguments: args, start }: RecordedCall, session: Recording): MadeCall | undefined {
  if (!start) return undefined;
  const { path } = start;
  const { sha256, sandbox, launched, cwd, env, scope: recordedScope }: Record<string, unknown> = { ...start };
  const directory = textOr(cwd, session.cwd);
  const scope = textOr(recordedScope, path.startsWith(`${directory}/.ikigai/`) ? "project" : "user");
  return {
    id,
    name,
    arguments: start.arguments ?? args,
    sessionId: session.id,
    path,
    scope,
    cwd: directory,
    ...(typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256) && { sha256 }),
    ...(isJsonObject(sandbox) && { sandbox: { network: sandbox.network === true } }),
    isLaunched: launched === true,
    env: {
      IKIGAI_PROTOCOL: "1",
      IKIGAI_TOOL_NAME: name,
      IKIGAI_TOOL_DIR: dirname(path),
      IKIGAI_TOOL_SCOPE: scope,
      IKIGAI_SESSION_ID: session.id,
      IKIGAI_CALL_ID: id,
      ...recordedVariables(env),
    },
  };
}

function recordedVariables(env: unknown): Record<string, string> {
  if (!isJsonObject(env)) return {};
  const found = recordedNames.map((name) => [name, env[name]]);
  return Object.fromEntries(found.filter(([, value]) => typeof value === "string"));
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

/** Whether the executable of a call has changed. */
export interface ToolState {
  /** Current hash. */
  readonly sha256: string | undefined;
  /** `unknown` if no hash was recorded. */
  readonly state: "same" | "changed" | "gone" | "unknown";
}

export async function toolState({ path, sha256: then, isLaunched }: MadeCall): Promise<ToolState> {
  // There is no local file.
  if (isLaunched) return { sha256: undefined, state: "unknown" };
  if (!existsSync(path)) return { sha256: undefined, state: "gone" };
  const sha256 = await hashTool(path);
  if (then === undefined || sha256 === undefined) return { sha256, state: "unknown" };
  return { sha256, state: then === sha256 ? "same" : "changed" };
}

/** A warning to print before the call is repeated; empty if the tool is the same. */
export function toolRemark({ sha256: then, isLaunched }: MadeCall, { state, sha256: now }: ToolState): string {
  if (state === "changed") return `The tool has changed: SHA-256 ${then} when recorded, ${now} now.\n`;
  if (isLaunched || state !== "unknown" || then !== undefined) return "";
  return "The tool may have changed: the session did not record its SHA-256.\n";
}

/** The variables that the shipped tools read. bash does not pass the limits to its commands. */
const shippedVariables = ["IKIGAI_SHELL", "IKIGAI_TIMEOUT_MS", "IKIGAI_MAX_OUTPUT_BYTES", "IKIGAI_ANSWER_BYTES"];

/**
 * The shell command that repeats a call in any POSIX shell: the same bytes to the same executable in the same directory. A tool
 * that does not ship with ikigai may read any of the protocol's variables, so it gets all of them. A call behind a launcher needs
 * ikigai, which takes directory, variables and limits there. One line, without control or invisible characters.
 */
export function shellLine(call: MadeCall): string {
  return call.isLaunched
    ? `ikigai replay ${visibleWord(call.id)} --session ${visibleWord(call.sessionId)}`
    : callLine(call);
}

/**
 * What a call runs. For a call behind a launcher it leaves out what ikigai does there, as no local shell can do it.
 *
 * @param options.isWhole with every variable that the tool gets
 */
export function callLine(call: MadeCall, { isWhole = false } = {}): string {
  const { arguments: args, cwd, path, scope, env, isLaunched } = call;
  if (isLaunched) return `${print(args)} | ${inVisibleText(path)}`;
  const variables = Object.entries(env)
    .filter(([name]) => isWhole || scope !== "system" || shippedVariables.includes(name))
    .map(([name, value]) => `${name}=${visibleWord(value)} `);
  return `cd ${visibleWord(cwd)} && ${print(args)} | ${variables.join("")}${visibleWord(path)}`;
}

/** `echo` may interpret backslashes and options; `printf %s` does not. */
function print(text: string): string {
  if (!isVisible(text)) return `printf ${shellWord(format(text))}`;
  return `${/^-|\\/.test(text) ? "printf %s" : "echo"} ${shellWord(text)}`;
}

/** A shell word, with escapes for invisible characters. */
function visibleWord(text: string): string {
  return isVisible(text) ? shellWord(text) : `"$(printf ${shellWord(format(text))})"`;
}

function inVisibleText(text: string): string {
  return isVisible(text) ? text : visibleWord(text);
}

function isVisible(text: string): boolean {
  return !/[\n\t]/.test(text) && sanitise(text) === text;
}

/** A `printf` format for this text: special characters doubled, invisible ones as octal bytes. */
function format(text: string): string {
  const parts = [...text].map((character) => {
    if (character === "\\" || character === "%") return character.repeat(2);
    if (isVisible(character)) return character;
    return octal(character);
  });
  // printf would read a leading - as an option.
  return parts.join("").replace(/^-/, octal);
}

function octal(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
