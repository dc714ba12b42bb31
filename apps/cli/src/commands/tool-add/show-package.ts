import { existsSync } from "node:fs";
import { join } from "node:path";
import { isatty } from "node:tty";
import type { Registry } from "@ikigai/core";
import { describeNeeds } from "@ikigai/core/internal";
import type { ToolSchema } from "@ikigai/protocol";
import {
  compareTrees,
  type InstalledPackage,
  type OfferedTool,
  type Source,
  type Stage,
  type StagedPackage,
  type StagedTool,
  type ToolRoot,
  toolNameOf,
} from "@ikigai/tool-packages";
import { canAsk } from "../../host/confirm.ts";
import { printOut } from "../../host/stdout.ts";
import { ansiStyle, plainStyle, type Style, terminalKind } from "../../render/line-output.ts";
import type { CommandContext } from "../command.ts";
import { isRestoration, renderOffer, renderSchemaChange, renderStaged, renderUpdate } from "./render-offer.ts";

/** A request to install a package. */
export interface InstallRequest extends CommandContext {
  /** As the user wrote it. */
  readonly source: string;
  /** New name for its only tool. */
  readonly as?: string | undefined;
  readonly root: ToolRoot;
  /** The user confirmed with --yes. */
  readonly isAllowed: boolean;
  /** Only show the changes. */
  readonly isDryRun: boolean;
  /** For an update: the name it was added under. */
  readonly updates?: string;
  /** Fetched instead of `source` to repair changed or missing files; the record keeps `source`. */
  readonly repairs?: string;
}

/** A staged package, and the installed version of it, if any. */
export interface Candidate {
  readonly source: Source;
  readonly staged: StagedPackage;
  readonly stage: Stage;
  readonly entry: InstalledPackage;
  readonly before: InstalledPackage | undefined;
}

/**
 * Shows the fetched package and what it would change, before any of it runs.
 *
 * @returns whether it only restores the installed package.
 */
export function showStaged(
  { staged, stage, entry, before }: Candidate,
  tools: readonly StagedTool[],
  { root, places, env, isAllowed, isDryRun }: InstallRequest,
): boolean {
  const style = styleOf(env);
  const folder = isAllowed || isDryRun || !canAsk() ? undefined : stage.content;
  printOut(`${renderStaged(staged, tools, { root, places, style, folder })}\n`);
  if (!before) return false;
  const [old, now] = comparable(before, entry, stage, root);
  const lostTools = Object.keys(before.tools).filter((fileName) => !existsSync(join(root.tools, fileName)));
  const differences = { files: compareTrees(old, now), lostTools: lostTools.map(toolNameOf) };
  printOut(`${renderUpdate(before, entry, differences)}\n`);
  return isRestoration(before, entry, differences);
}

/** The paths to compare: two folders, or two files if both versions are a single file. */
function comparable(
  before: InstalledPackage,
  { tools, directory }: InstalledPackage,
  { content }: Stage,
  root: ToolRoot,
) {
  const [old = ""] = Object.keys(before.tools);
  const [now = ""] = Object.keys(tools);
  return [
    before.directory === undefined ? join(root.tools, old) : join(root.packages, before.directory),
    directory === undefined ? join(content, now) : content,
  ] as const;
}

/** Shows the tools' schemas. */
export function showOffered(
  tools: readonly OfferedTool[],
  { before }: Candidate,
  registry: Registry,
  { root, places, env }: InstallRequest,
): void {
  const style = styleOf(env);
  for (const tool of tools) printOut(`${renderOffer(tool, { root, places, style })}\n`);
  if (!before) return;
  const changes = tools.flatMap((tool) => {
    return renderSchemaChange(tool, oldSchema(tool, registry, root), !Object.hasOwn(before.tools, tool.fileName));
  });
  if (changes.length > 0) printOut(`${changes.join("\n")}\n\n`);
}

/** What the tools need and did not need before. */
export function newNeeds(
  tools: readonly OfferedTool[],
  registry: Registry,
  { root, places }: InstallRequest,
): readonly string[] {
  const linesOf = (schema: ToolSchema | undefined) => describeNeeds(schema?.ikigai?.needs ?? {}, places);
  const wanted = tools.flatMap((tool) => {
    const known = linesOf(oldSchema(tool, registry, root));
    return linesOf(tool.schema).filter((line) => !known.includes(line));
  });
  return [...new Set(wanted)];
}

function oldSchema({ fileName }: StagedTool, registry: Registry, root: ToolRoot) {
  return registry.tools.find(({ path }) => path === join(root.tools, fileName))?.schema;
}

function styleOf(env: NodeJS.ProcessEnv): Style {
  return terminalKind(env, { isTerminal: isatty(1) }).hasEscapes ? ansiStyle : plainStyle;
}
