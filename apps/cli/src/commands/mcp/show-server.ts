// What the user sees of an MCP server, and the context in which a command works on one.

import type { ServerOffer, ServerUpdate } from "@ikigai/mcp";
import { cutToWidth, diffLines, sanitise, sanitiseLine, sanitiseStrictly, wrapWords } from "@ikigai/screen";
import { bridgePath, version } from "../../host/places/own-paths.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import type { CommandContext } from "../command.ts";

type Definitions = Pick<ServerOffer, "tools" | "leftOut">;
type DefinedTool = Definitions["tools"][number];

/** What starting a server needs: where, with what, and where its messages go. */
export function serverContext({ places, env }: CommandContext) {
  return {
    ...{ places, env, bridge: { path: bridgePath, version } },
    log: (text: string) => printError(sanitise(text)),
    warn: (text: string) => printError(`${sanitiseLine(text)}\n`),
    step: (text: string) => printOut(`${sanitiseLine(text)}\n`),
  };
}

/** A rough measure of what a request costs, in bytes per token. */
const bytesPerToken = 4;

/** How many tools are named before the user asks for all. */
export const namedTools = 12;

/** The longest description in a line, in columns, and the widest line of names, if there is no terminal to fit them to. */
const maxSummaryColumns = 72;
const maxNamesColumns = 100;

interface OfferOptions {
  /** Whether every tool is named: there is no question at which the user could ask for all. */
  readonly isWhole: boolean;
  /** The width of the terminal; `undefined` without one. */
  readonly columns: number | undefined;
}

/** The server, and its tools with the first line of their descriptions. */
export function renderOffer(
  { serverInfo, protocolVersion, instructions }: ServerOffer["facts"],
  { tools, leftOut }: Definitions,
  server: string,
  { isWhole, columns }: OfferOptions,
): string {
  const bytes = tools.reduce((sum, { line }) => sum + Buffer.byteLength(line), 0);
  const tokens = Math.ceil(bytes / bytesPerToken / 100) * 100;
  const rest = tools.slice(namedTools);
  const more = `${rest.length} more`;
  const lines = [
    [
      sanitiseLine(`${serverInfo?.name ?? server} ${serverInfo?.version ?? ""}`.trim()),
      `MCP ${sanitiseLine(protocolVersion)}`,
      `${tools.length} ${tools.length === 1 ? "tool" : "tools"}, ${kilobytes(bytes)}, about ${tokens.toLocaleString("en-US")} tokens in every request`,
    ].join(" · "),
    ...tools.slice(0, namedTools).map((tool) => toolLine(tool, columns)),
    ...(rest.length > 0 ? [isWhole ? namesLine(more, rest, columns) : `  … ${more}`] : []),
    ...tools
      .filter(({ isHashed }) => isHashed)
      .map(({ name, listed }) => `  ${name} is the server's ${sanitiseLine(listed.name)}`),
    ...tools.filter(({ isShortened }) => isShortened).map(({ name }) => `  The definition of ${name} is shortened.`),
    ...leftOut.map(({ name, reason }) => renderLeftOut([[name, reason]]).trimEnd()),
    ...(instructions === undefined ? [] : ["Its instructions:", ...indented(instructions)]),
  ];
  return `${lines.join("\n")}\n`;
}

/** The server's tools that cannot be used, with the reasons, one per line. */
export function renderLeftOut(leftOut: readonly (readonly [name: string, reason: string])[]): string {
  return leftOut.map(([name, reason]) => `  Left out: ${sanitiseLine(name)}: ${sanitiseLine(reason)}.\n`).join("");
}

/** Everything that the model sees of each tool. */
export function renderDefinitions(tools: readonly DefinedTool[]): string {
  return tools.map(({ line }) => `${sanitiseStrictly(JSON.stringify(JSON.parse(line), null, 2))}\n`).join("\n");
}

function toolLine({ name, listed: { description = "" } }: DefinedTool, columns: number | undefined): string {
  const [line = "", ...others] = description.trim().split("\n");
  const more = others.length === 0 ? "" : ` (+${others.length} ${others.length === 1 ? "line" : "lines"})`;
  const first = `${sanitiseStrictly(line).replaceAll("\t", " ")}${more}`;
  const head = `  ${name}  `;
  // The last column stays empty, so that the terminal does not wrap.
  return head + cutToWidth(first, columns === undefined ? maxSummaryColumns : columns - head.length - 1, "…");
}

function namesLine(what: string, tools: readonly DefinedTool[], columns = maxNamesColumns): string {
  const names = `… ${what}: ${tools.map(({ name }) => name).join(", ")}`;
  return `  ${wrapWords(names, columns - 5).replaceAll("\n", "\n    ")}`;
}

/** A text whose lines are indented. */
function indented(text: string): string[] {
  return sanitiseStrictly(text)
    .split("\n")
    .map((line) => `  ${line}`);
}

/** A size as people read it. */
export function kilobytes(bytes: number): string {
  return bytes < 1_000 ? `${bytes} bytes` : `${(bytes / 1_000).toFixed(1)} KB`;
}

/** What an update of a server changes: every tool, with everything that the model sees of it. */
export function renderServerChanges({ version, before, facts, tools, leftOut }: ServerUpdate): string {
  const gone = [...before.lines.keys()].filter((name) => !tools.some((tool) => tool.name === name));
  const rows = [
    ...(before.version === version ? [] : [sanitiseLine(`version ${before.version || "-"} → ${version || "-"}`)]),
    ...tools.flatMap(({ name, line }) => renderTool(name, before.lines.get(name), line)),
    ...gone.map((name) => `- ${name}`),
    ...leftOut.map(({ name, reason }) => `Left out: ${sanitiseLine(name)}: ${sanitiseLine(reason)}.`),
    ...(facts.instructions === before.instructions
      ? []
      : ["Its new instructions:", ...indented(facts.instructions ?? "")]),
  ];
  return `${(rows.length > 0 ? rows : ["Its tools are unchanged; only the files that call them are replaced."]).join("\n")}\n`;
}

function renderTool(name: string, old: string | undefined, now: string): string[] {
  if (old === now) return [];
  const changed = diffLines(pretty(old ?? ""), pretty(now)).filter(({ sign }) => sign !== " ");
  return [
    `${old === undefined ? "+" : "~"} ${name}`,
    ...changed.map(({ sign, text }) => sanitiseStrictly(`    ${sign} ${text}`)),
  ];
}

function pretty(line: string): string[] {
  return line === "" ? [] : JSON.stringify(JSON.parse(line), null, 2).split("\n");
}
