import type { JsonObject, ToolSchema } from "@ikigai/protocol";
import type { StagedPackage } from "../install/fetch-package.ts";
import type { InstalledPackage } from "../install/install-record.ts";
import type { OfferedTool } from "../install/offered-tools.ts";
import type { ToolRoot } from "../install/tool-root.ts";
import type { Places } from "../places.ts";
import { diffLines } from "./line-diff.ts";
import { sanitiseLine, sanitiseStrictly } from "./sanitise.ts";
import { shortPath } from "./short-path.ts";
import type { Style } from "./style.ts";

/** What has come, before anything of it is run. */
export function renderStaged({ name, version, sha256, facts, files, dependencies, tools }: StagedPackage): string {
  const origin = facts.resolved ?? (facts.commit && `commit ${facts.commit}`);
  const others = dependencies === 0 ? "" : `, ${dependencies} ${dependencies === 1 ? "dependency" : "dependencies"}`;
  return lines([
    sanitiseLine(`${name} ${version}`.trim()),
    ...(origin === undefined ? [] : [`  from    ${sanitiseLine(origin)}`]),
    `  sha256  ${sha256}`,
    `  ${files} ${files === 1 ? "file" : "files"}${others}; no install script was run`,
    `To show what ${tools.length === 1 ? "it says of itself, this is" : "they say of themselves, these are"} run now: ${tools.map(({ fileName }) => `${fileName} --schema`).join(", ")}`,
  ]);
}

/** What a tool says of itself, and what would change: all that somebody has to know before they say yes. */
export function renderOffer(tool: OfferedTool, root: ToolRoot, places: Places, style: Style): string {
  const { name, fileName, schema, warnings } = tool;
  const where = root.scope === "project" ? "in this project" : "in every project";
  return lines([
    `${style.bold(name)}  ${shortPath(`${root.tools}/${fileName}`, places)}, ${root.scope}: ${where}`,
    `  ${sanitiseStrictly(schema.description).replaceAll("\n", "\n  ")}`,
    ...renderParameters(schema.parameters).map((line) => `  ${line}`),
    ...wishes(tool, root).map((line) => `  ${line}`),
    ...warnings.map((warning) => `  ${sanitiseStrictly(warning)}`),
    ...consequences(tool, places).map((line) => `  ${style.yellow(line)}`),
  ]);
}

function renderParameters(parameters: JsonObject): string[] {
  const { properties = {}, required = [] } = parameters as {
    properties?: Record<string, { type?: unknown; description?: unknown }>;
    required?: readonly string[];
  };
  const entries = Object.entries(properties);
  if (entries.length === 0) return ["It takes no arguments."];
  return entries.map(([key, value]) => {
    const { type = "any", description = "" } = value ?? {};
    const kind = [type].flat().join(" or ");
    const text = `${key} (${kind}${required.includes(key) ? "" : ", optional"})  ${String(description)}`;
    return sanitiseStrictly(text.replaceAll("\n", " ")).trimEnd();
  });
}

function wishes({ schema: { ikigai = {}, annotations = {} } }: OfferedTool, { scope }: ToolRoot): string[] {
  const { env = [], timeoutMs, prestart } = ikigai;
  const notGiven = scope === "project" ? ", though a project's tool gets no model provider's key" : "";
  const hints = Object.entries(annotations).map(([hint, value]) => `${hint}: ${value}`);
  return [
    ...(env.length > 0 ? [`It wants these variables: ${sanitiseStrictly(env.join(", "))}${notGiven}`] : []),
    ...(timeoutMs === undefined ? [] : [`A call may take ${timeoutMs / 1_000} s.`]),
    ...(prestart === true ? ["It may be started before it is called."] : []),
    ...(hints.length > 0 ? [`It says of itself: ${sanitiseStrictly(hints.join(", "))}`] : []),
  ];
}

function consequences({ name, overrides, overriddenBy }: OfferedTool, places: Places): string[] {
  const [nearest] = overrides;
  const isCore = overrides.some(({ scope }) => scope === "system");
  return [
    ...(isCore ? [`IT REPLACES THE CORE TOOL ${name}: every call of ${name} goes to it, with all that is in it.`] : []),
    ...(nearest ? [`It overrides ${shortPath(nearest.path, places)} (${nearest.scope}).`] : []),
    ...(overriddenBy
      ? [`It will not be used here: ${shortPath(overriddenBy.path, places)} (${overriddenBy.scope}) is nearer.`]
      : []),
  ];
}

/** What an update changes: the source, the version, the hash, and what each tool says of itself. */
export function renderUpdate(
  before: InstalledPackage,
  after: InstalledPackage,
  schemas: readonly { readonly name: string; readonly old?: ToolSchema | undefined; readonly now?: ToolSchema }[],
): string {
  const version =
    before.version === after.version ? [] : [`  version ${before.version || "-"} → ${after.version || "-"}`];
  return lines([
    "What changes:",
    ...(before.source === after.source ? [] : [`  source  ${sanitiseLine(`${before.source} → ${after.source}`)}`]),
    ...version.map(sanitiseLine),
    `  sha256  ${before.sha256 === after.sha256 ? "the same" : `${before.sha256} → ${after.sha256}`}`,
    ...schemas.flatMap(({ name, old, now }) => renderSchemaChange(name, old, now)),
  ]);
}

function renderSchemaChange(name: string, old: ToolSchema | undefined, now: ToolSchema | undefined): string[] {
  if (!now) return [`  ${name} is removed.`];
  if (!old) return [`  ${name} is new.`];
  const [before, after] = [old, now].map((schema) => JSON.stringify(schema, null, 2).split("\n"));
  const changed = diffLines(before ?? [], after ?? []).filter(({ sign }) => sign !== " ");
  if (changed.length === 0) return [`  ${name} says the same of itself.`];
  return [
    `  ${name} says something else of itself:`,
    ...changed.map(({ sign, text }) => sanitiseStrictly(`    ${sign} ${text}`)),
  ];
}

function lines(all: readonly string[]): string {
  return `${all.join("\n")}\n`;
}
