import { join } from "node:path";
import { isatty } from "node:tty";
import type { Registry } from "@ikigai/core";
import {
  compareTrees,
  type InstalledPackage,
  type OfferedTool,
  type Stage,
  type StagedPackage,
  type StagedTool,
  type ToolRoot,
  toolNameOf,
} from "@ikigai/tool-packages";
import { canAsk } from "../../host/confirm.ts";
import { printOut } from "../../host/stdout.ts";
import { ansiStyle, plainStyle, type Style } from "../../render/style.ts";
import { terminalKind } from "../../render/terminal-kind.ts";
import type { CommandContext } from "../command.ts";
import { renderOffer, renderSchemaChange, renderStaged, renderUpdate } from "./render-offer.ts";

/** What is to be installed, for whom. */
export interface InstallRequest extends CommandContext {
  /** As the user wrote it. */
  readonly source: string;
  /** What the only tool is to be called. */
  readonly as?: string | undefined;
  readonly root: ToolRoot;
  /** The user has said yes already. */
  readonly isAllowed: boolean;
  /** Only to be shown. */
  readonly isDryRun: boolean;
  /** Under which name it was added, when it is to be brought up to date. */
  readonly updates?: string;
  /** What is fetched instead of the source, which is still what is written down: what is there has been changed or lost. */
  readonly repairs?: string;
}

/** A package in its stage, and what is there of it now. */
export interface Candidate {
  readonly staged: StagedPackage;
  readonly stage: Stage;
  readonly entry: InstalledPackage;
  readonly before: InstalledPackage | undefined;
}

/** Shows the fetched package and what it would change, before any of it runs. */
export function showStaged(
  { staged, stage, entry, before }: Candidate,
  tools: readonly StagedTool[],
  { root, places, env, isAllowed, isDryRun }: InstallRequest,
): void {
  const style = styleOf(env);
  const folder = isAllowed || isDryRun || !canAsk() ? undefined : stage.content;
  printOut(`${renderStaged(staged, tools, { root, places, style, folder })}\n`);
  if (!before) return;
  const [old, now] = comparable(before, entry, stage, root);
  printOut(`${renderUpdate(before, entry, compareTrees(old, now))}\n`);
}

/** Two folders, or two files where both were one; a package that has become another kind is compared as a whole. */
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

/** Shows what the tools say of themselves. */
export function showOffered(
  tools: readonly OfferedTool[],
  { before }: Candidate,
  registry: Registry,
  { root, env }: InstallRequest,
): void {
  const style = styleOf(env);
  for (const tool of tools) printOut(`${renderOffer(tool, root, style)}\n`);
  if (!before) return;
  const gone = Object.keys(before.tools).filter((old) => !tools.some(({ fileName }) => fileName === old));
  const changes = [
    ...tools.map((tool) => renderSchemaChange(tool.name, oldSchema(tool, registry, root), tool.schema)),
    ...gone.map((fileName) => renderSchemaChange(toolNameOf(fileName), undefined, undefined)),
  ];
  printOut(`${changes.flat().join("\n")}\n\n`);
}

/** The variables that tools want and did not want before. */
export function newWishes(tools: readonly OfferedTool[], registry: Registry, root: ToolRoot): readonly string[] {
  const wanted = tools.flatMap((tool) => {
    const { env: known = [] } = oldSchema(tool, registry, root)?.ikigai ?? {};
    return (tool.schema.ikigai?.env ?? []).filter((name) => !known.includes(name));
  });
  return [...new Set(wanted)];
}

function oldSchema({ fileName }: StagedTool, registry: Registry, root: ToolRoot) {
  return registry.tools.find(({ path }) => path === join(root.tools, fileName))?.schema;
}

function styleOf(env: NodeJS.ProcessEnv): Style {
  return terminalKind(env, { isTerminal: isatty(1) }).hasEscapes ? ansiStyle : plainStyle;
}
