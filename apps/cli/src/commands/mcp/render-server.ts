import { bytesOf, type DefinedTool, type Definitions, type ServerFacts } from "@ikigai/mcp";
import { sanitiseLine, sanitiseStrictly } from "../../render/sanitise.ts";

/** A rough measure of what a request costs, in bytes per token. */
const bytesPerToken = 4;

/** How many tools are named before the user asks for all. */
export const namedTools = 12;

/** The longest description in a line, in characters. */
const maxSummaryLength = 72;

/** The server, and its tools with the first line of their descriptions. */
export function renderOffer(facts: ServerFacts, { tools, leftOut }: Definitions, server: string): string {
  const { serverInfo, protocolVersion, instructions } = facts;
  const bytes = bytesOf(tools);
  const tokens = Math.ceil(bytes / bytesPerToken / 100) * 100;
  const rest = tools.length - namedTools;
  const lines = [
    [
      sanitiseLine(`${serverInfo?.name ?? server} ${serverInfo?.version ?? ""}`.trim()),
      `MCP ${sanitiseLine(protocolVersion)}`,
      `${tools.length} ${tools.length === 1 ? "tool" : "tools"}, ${kilobytes(bytes)}, about ${tokens.toLocaleString("en-US")} tokens in every request`,
    ].join(" · "),
    ...tools.slice(0, namedTools).map((tool) => `  ${tool.name}  ${summaryOf(tool)}`),
    ...(rest > 0 ? [`  … ${rest} more`] : []),
    ...tools
      .filter(({ isHashed }) => isHashed)
      .map(({ name, listed }) => `  ${name} is the server's ${sanitiseLine(listed.name)}`),
    ...tools.filter(({ isShortened }) => isShortened).map(({ name }) => `  The definition of ${name} is shortened.`),
    ...leftOut.map(({ name, reason }) => `  Left out: ${sanitiseLine(name)}: ${sanitiseLine(reason)}.`),
    ...(instructions === undefined ? [] : ["Its instructions:", ...indented(instructions)]),
  ];
  return `${lines.join("\n")}\n`;
}

/** Everything that the model sees of each tool. */
export function renderDefinitions(tools: readonly DefinedTool[]): string {
  return tools.map(({ line }) => `${sanitiseStrictly(JSON.stringify(JSON.parse(line), null, 2))}\n`).join("\n");
}

function summaryOf({ listed: { description = "" } }: DefinedTool): string {
  const first = sanitiseStrictly(description.trim().split("\n")[0] ?? "").replaceAll("\t", " ");
  return first.length > maxSummaryLength ? `${first.slice(0, maxSummaryLength - 1)}…` : first;
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
