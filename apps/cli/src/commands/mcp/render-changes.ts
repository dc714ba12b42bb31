import { join } from "node:path";
import { type ServerPackage, wrappedLine, wrapperFileName } from "@ikigai/mcp";
import { readRegularFile } from "@ikigai/system";
import type { InstalledPackage } from "@ikigai/tool-packages";
import { diffLines } from "../../render/line-diff.ts";
import { sanitiseLine, sanitiseStrictly } from "../../render/sanitise.ts";
import { indented } from "./render-server.ts";
import type { StagedServer } from "./stage-server.ts";

/** What an update of a server changes: every tool, with everything that the model sees of it. */
export function renderServerChanges(
  before: ServerPackage,
  { version }: InstalledPackage,
  { record, facts, definitions: { tools, leftOut } }: StagedServer,
): string {
  const old = linesOf(before);
  const gone = [...old.keys()].filter((name) => !tools.some((tool) => tool.name === name));
  const rows = [
    ...(version === record.version ? [] : [sanitiseLine(`version ${version || "-"} → ${record.version || "-"}`)]),
    ...tools.flatMap(({ name, line }) => renderTool(name, old.get(name), line)),
    ...gone.map((name) => `- ${name}`),
    ...leftOut.map(({ name, reason }) => `Left out: ${sanitiseLine(name)}: ${sanitiseLine(reason)}.`),
    ...(facts.instructions === before.server.instructions
      ? []
      : ["Its new instructions:", ...indented(facts.instructions ?? "")]),
  ];
  return `${(rows.length > 0 ? rows : ["Its tools are unchanged; only the files that call them are replaced."]).join("\n")}\n`;
}

/** The schemas of the tools that were added, as the model sees them, by name. */
function linesOf({ path, tools: { tools } }: ServerPackage): ReadonlyMap<string, string> {
  return new Map(tools.map(({ tool }) => [tool, wrappedLine(read(join(path, wrapperFileName(tool)))) ?? ""]));
}

function read(path: string): string {
  try {
    return readRegularFile(path).toString("utf8");
  } catch {
    // A file that is missing has no schema, so the whole one is shown.
    return "";
  }
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
