// The question whether to trust a project's files: the files, what each would do, and what the answer changes.

import { dirname, join } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import type { TrustedFile, TrustReport } from "@ikigai/core";
import { hookEvents, isHookEvent } from "@ikigai/core/hooks";
import { toolSuffix } from "@ikigai/protocol";
import { headAndTail, sanitiseLine } from "@ikigai/screen";
import { realPathOf, unwritableDirectory } from "@ikigai/system";
import { shortPath } from "../short-forms.ts";

/** How many unchanged files are listed that are neither programs nor texts for the model. */
const maxOthers = 40;

const statusText: Record<Exclude<TrustReport["status"], "nothing">, string> = {
  trusted: "is trusted",
  untrusted: "is not trusted",
  changed: "has changed since you trusted it",
};

/** Marks the files that the user has added to a project that they have not trusted. */
function partMark(change: TrustedFile["change"]): string | undefined {
  return change === undefined ? "added by you" : change === "new" ? undefined : change.toUpperCase();
}

/** Says why there is nothing to trust. */
export function nothingToTrust({ dir }: Pick<TrustReport, "dir">, { home, projectDir }: Places): string {
  if (realPathOf(dir) === realPathOf(home))
    return `Nothing to trust: ${sanitiseLine(dir)} is your own directory, and the project has no skills.`;
  return `Nothing to trust: ${sanitiseLine(projectDir)} has no .ikigai directory and no skills.`;
}

/**
 * A project's trust status, its files, and what it would override. The user is asked about all files, so everything that runs,
 * instructs the model or has changed is listed, however much it is.
 *
 * @param isWhole whether all other files are listed, too
 */
export function renderTrust(
  { status, dir, files, problem }: TrustReport,
  overrides: readonly { readonly what: string; readonly path: string }[],
  places: Places,
  { isWhole = false } = {},
): string {
  const isPartlyTrusted = status === "untrusted" && files.some(({ change }) => change);
  // Skills may be beside .ikigai/; then all paths are relative to the project.
  const isWider = files.some(({ path }) => path.startsWith("../"));
  const line = ({ path, kind, change, realPath }: TrustedFile) => {
    const name = isWider ? join(".ikigai", path) : path;
    const target = realPath === undefined ? "" : ` (${shortPath(realPath, places)})`;
    const mark = isPartlyTrusted ? partMark(change) : change?.toUpperCase();
    return `  ${sanitiseLine(name)}  ${sanitiseLine(kind)}${target}${hookRole(path)}${noEffect(path)}${mark ? `  ${mark}` : ""}`;
  };
  const [changed, unchanged] = partition(files, ({ change }) => change !== undefined);
  const [active, others] = partition(unchanged, hasEffect);
  const gap = (leftOut: number) =>
    `  … ${leftOut} more files that are neither programs nor texts for the model: ikigai trust --show lists them`;
  if (status === "nothing") return `${nothingToTrust({ dir }, places)}\n`;
  const verb = status === "trusted" ? "overrides" : "would override";
  const shadows = overrides.map(
    ({ what, path }) => `  ${verb} ${sanitiseLine(what)} (${sanitiseLine(shortPath(path, places))})`,
  );
  return `${[
    `${sanitiseLine(isWider ? dirname(dir) : dir)} ${statusText[status]}${files.length > 0 ? ":" : "."}`,
    ...[...changed, ...active].map(line),
    ...headAndTail(others.map(line), { head: isWhole ? others.length : maxOthers, tail: 0, gap }),
    ...shadows,
    ...(problem === undefined ? [] : [`Cannot trust it: ${sanitiseLine(problem)}`]),
  ].join("\n")}\n`;
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

/** Whether a file may be run or read by the model as it is. The others are data, which such a file may use. */
function hasEffect({ path, kind }: TrustedFile): boolean {
  const mode = /\bfile ([0-7]+)$/.exec(kind)?.[1];
  const isProgram = mode === undefined || (Number.parseInt(mode, 8) & 0o111) !== 0;
  return isProgram || path.startsWith("hooks/") || path.endsWith(toolSuffix) || isText({ path });
}

/** What a file does not do that its name suggests; empty for other files. */
function noEffect(path: string): string {
  return path === "config.json" ? "  no effect: only your own configuration counts" : "";
}

/** When a file would run as a hook; empty for other files. */
function hookRole(path: string): string {
  const [directory, event = "", tool, name] = path.split("/");
  if (directory !== "hooks" || tool === undefined || !isHookEvent(event)) return "";
  const { isOfCalls } = hookEvents[event];
  return `  hook: ${event}${isOfCalls && name !== undefined ? ` of ${sanitiseLine(tool)}` : ""}`;
}

/** Why the decision could not be stored, printable: the end of a sentence. */
export function storeProblem(error: unknown): string {
  return sanitiseLine((unwritableDirectory(error) ?? (error as Error).message).replace(/\.$/, ""));
}

/** What a project's files do once they are trusted: the rest of a sentence. @param would "would " before the user has answered. */
export function trustEffect({ files }: TrustReport, would = ""): string {
  const programs = files.some(({ path }) => hookRole(path) !== "") ? "tools and hooks" : "tools";
  const runs = `${programs} ${would}run with your privileges`;
  const texts = Object.entries(textPatterns).flatMap(([name, pattern]) =>
    files.some(({ path }) => pattern.test(path)) ? [name] : [],
  );
  if (texts.length === 0) return runs;
  const hasPrograms = files.some((file) => !isText(file) || file.path.endsWith(toolSuffix));
  return `${hasPrograms ? `${runs}, and the ` : ""}${texts.join(", ").replace(/, ([^,]*)$/, " and $1")} ${would}give the model instructions`;
}

function isText({ path }: Pick<TrustedFile, "path">): boolean {
  return Object.values(textPatterns).some((pattern) => pattern.test(path));
}

/** The files whose text a model gets: of skills, of agents with instructions of their own, of the commands that the user types. */
const textPatterns = {
  skills: /^(?:\.\.\/\.(?:agents|claude)\/)?skills(?:\/|$)/,
  agents: /^agents\/[^/]+\.md$/,
  commands: /^commands\/.*\.md$/,
};
