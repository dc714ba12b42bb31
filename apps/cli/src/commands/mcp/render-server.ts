import { bytesOf, type DefinedTool, type Definitions, type ServerFacts } from "@ikigai/mcp";
import { cutToWidth, wrapWords } from "../../render/fit-text.ts";
import { sanitiseLine, sanitiseStrictly } from "../../render/sanitise.ts";

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
  { serverInfo, protocolVersion, instructions }: ServerFacts,
  { tools, leftOut }: Definitions,
  server: string,
  { isWhole, columns }: OfferOptions,
): string {
  const bytes = bytesOf(tools);
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
export function indented(text: string): string[] {
  return sanitiseStrictly(text)
    .split("\n")
    .map((line) => `  ${line}`);
}

/** A size as people read it. */
export function kilobytes(bytes: number): string {
  return bytes < 1_000 ? `${bytes} bytes` : `${(bytes / 1_000).toFixed(1)} KB`;
}
