// The servers that were added: found by name, and shown.
import { join } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import {
  bytesOf,
  type DefinedTool,
  type Definitions,
  packageName,
  readServerPackage,
  type ServerFacts,
  type ServerPackage,
} from "@ikigai/mcp";
import { cutToWidth, sanitiseLine, sanitiseStrictly, wrapWords } from "@ikigai/screen";
import { type InstalledPackage, Refusal, ToolRoot } from "@ikigai/tool-packages";

/** A server that was added. */
export interface AddedServer {
  readonly name: string;
  /** Where it was added. */
  readonly root: ToolRoot;
  readonly record: InstalledPackage;
  /** `undefined` if the files of its package are missing or damaged. */
  readonly pack: ServerPackage | undefined;
  readonly dataDir: string;
  /** Whether its files are those that were added. */
  readonly isAsAdded: boolean;
}

/** The servers that the user has added for this directory and for all, in this order. @throws Refusal if a record is damaged. */
export function addedServers(places: Places): readonly AddedServer[] {
  return ToolRoot.ofUser(places).flatMap((root) =>
    [...root.servers()].map(([name, record]) => {
      const dataDir = root.dataOf(packageName(name), places);
      const pack = record.directory === undefined ? undefined : read(join(root.packages, record.directory));
      const isAsAdded = pack !== undefined && root.stateOf(record) === "same";
      return { name, root, record, pack, dataDir, isAsAdded };
    }),
  );
}

function read(path: string): ServerPackage | undefined {
  try {
    return readServerPackage(path);
  } catch {
    return undefined;
  }
}

/** Where a server, or another package of its name, has been added. @throws Refusal if a record is damaged. */
export function rootOf(name: string, places: Places): ToolRoot | undefined {
  return ToolRoot.ofUser(places).find((root) => root.record().has(packageName(name)));
}

/** The server with this name; of two, the one of this directory. @throws Refusal if there is no such server. */
export function addedServer(name: string, places: Places): AddedServer {
  const servers = addedServers(places);
  const found = servers.find((server) => server.name === name);
  if (found) return found;
  const known = servers.length === 0 ? "None has been added." : `Known: ${servers.map((one) => one.name).join(", ")}.`;
  throw new Refusal(`No MCP server ${JSON.stringify(name)}. ${known}`);
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
