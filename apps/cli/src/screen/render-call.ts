import type { AgentEvent } from "@ikigai/agent";
import type { JsonObject, JsonValue } from "@ikigai/protocol";
import type { Screen } from "../repl/screen.ts";
import { sanitise, sanitiseLine } from "./sanitise.ts";

/** How many lines of an output are shown from its start and from its end. */
const headLines = 6;
const tailLines = 3;

/** How much is shown of what has no lines, in characters. */
const maxShownLength = 400;

type ToolResult = Extract<AgentEvent, { type: "tool_result" }>;

/** What one argument of each core tool says by itself. */
const mainArguments: Readonly<Record<string, readonly string[]>> = {
  bash: ["command"],
  file_read: ["file_path"],
  file_write: ["file_path"],
  file_edit: ["file_path"],
  glob: ["pattern", "path"],
  grep: ["pattern", "glob", "path"],
};

/** The line that says what is called: `● bash  ls -la`. A tool that ikigai did not ship says where it is from. */
export function renderCall(
  call: { name: string; arguments: string; scope?: string },
  { style }: Pick<Screen, "style">,
): string {
  const origin = call.scope && call.scope !== "system" ? ` (${call.scope})` : "";
  const head = `${style.cyan("●")} ${style.bold(sanitiseLine(call.name))}${origin}`;
  return `${head}  ${indentRest(describeArguments(call.name, call.arguments))}`;
}

/** What came of a call, and how long it took. */
export function renderResult({ envelope, durationMs, notes }: ToolResult, { style, width }: Screen): string {
  const took = style.dim(renderDuration(durationMs));
  const lines = notes.map((note) => style.yellow(sanitiseLine(note)));
  if (!envelope.tool_success) {
    const stderr = envelope.stderr.trim() === "" ? [] : shorten(envelope.stderr, width);
    return block([style.red(`${envelope.error_code}: ${sanitiseLine(envelope.error)}`), ...stderr, ...lines, took]);
  }
  const { output, error, error_code: code, exit_code: exitCode, ...rest } = envelope.result;
  if (typeof error === "string") {
    return block([style.red(sanitiseLine(`${typeof code === "string" ? `${code}: ` : ""}${error}`)), ...lines, took]);
  }
  const shown =
    typeof output === "string"
      ? shorten(output, width)
      : [describeObject({ ...rest, ...(output !== undefined && { output }) })];
  const exit = typeof exitCode === "number" ? [exitCode === 0 ? "exit 0" : style.red(`exit ${exitCode}`)] : [];
  return block([...shown, ...lines, [...exit, took].join(" · ")]);
}

/** Arguments as a person reads them: the command, the path, or `key: value`. */
export function describeArguments(name: string, text: string): string {
  const args = parse(text);
  if (args === undefined) return sanitise(text);
  const main = mainArguments[name]?.flatMap((key) => (typeof args[key] === "string" ? [args[key]] : []));
  if (name === "file_read" && main?.[0] !== undefined) return sanitise(`${main[0]}${describeLines(args)}`);
  if (main?.[0] !== undefined) return sanitise(main.join("  "));
  return describeObject(args);
}

/** `1.0 s` or `3 ms`. */
export function renderDuration(ms: number): string {
  return ms < 1_000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

function describeLines({ offset, limit }: JsonObject): string {
  if (typeof offset !== "number" && typeof limit !== "number") return "";
  const first = typeof offset === "number" ? offset : 1;
  return typeof limit === "number" ? ` lines ${first}-${first + limit - 1}` : ` from line ${first}`;
}

function describeObject(value: JsonObject): string {
  const text = Object.entries(value)
    .map(([key, item]) => `${key}: ${describeValue(item)}`)
    .join("  ");
  return sanitiseLine(text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text);
}

function describeValue(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text || "{}");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** The first and the last lines, and how many were left out. */
function shorten(text: string, width: number): string[] {
  const lines = sanitise(text.trimEnd())
    .split("\n")
    .map((line) => cutLine(line, width));
  if (lines.length === 1 && lines[0] === "") return [];
  if (lines.length <= headLines + tailLines + 1) return lines;
  const leftOut = lines.length - headLines - tailLines;
  return [...lines.slice(0, headLines), `… ${leftOut} lines`, ...lines.slice(-tailLines)];
}

function cutLine(line: string, width: number): string {
  const room = Math.max(20, width - 3);
  return line.length > room ? `${line.slice(0, room - 1)}…` : line;
}

function block(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}\n`).join("");
}

function indentRest(text: string): string {
  return text.replaceAll("\n", "\n    ");
}
