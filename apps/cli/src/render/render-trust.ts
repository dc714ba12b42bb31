import { dirname, join } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import type { TrustedFile, TrustReport } from "@ikigai/core";
import { hookEvents, isHookEvent, type ProjectOverride } from "@ikigai/core/internal";
import { toolSuffix } from "@ikigai/protocol";
import { headAndTail } from "./fit-text.ts";
import { sanitiseLine } from "./sanitise.ts";
import { shortPath } from "./short-path.ts";

/** Files listed; more only if that many have changed. */
const maxListed = 40;

const statusText: Record<TrustReport["status"], string> = {
  nothing: "does not exist or is empty, and the project has no skills",
  trusted: "is trusted",
  untrusted: "is not trusted",
  changed: "has changed since you trusted it",
};

/** Marks the files that the user has added to a project that they have not trusted. */
function partMark(change: TrustedFile["change"]): string | undefined {
  return change === undefined ? "added by you" : change === "new" ? undefined : change.toUpperCase();
}

/** A project's trust status, its files, and the tools it would override. */
export function renderTrust(
  { status, dir, files, problem }: TrustReport,
  overrides: readonly ProjectOverride[],
  places: Places,
): string {
  const isPartlyTrusted = status === "untrusted" && files.some(({ change }) => change);
  // Skills may be beside .ikigai/; then all paths are relative to the project.
  const isWider = files.some(({ path }) => path.startsWith("../"));
  const listed = files.map(({ path, kind, change, realPath }) => {
    const name = isWider ? join(".ikigai", path) : path;
    const target = realPath === undefined ? "" : ` (${shortPath(realPath, places)})`;
    const mark = isPartlyTrusted ? partMark(change) : change?.toUpperCase();
    return `  ${sanitiseLine(name)}  ${sanitiseLine(kind)}${target}${hookRole(path)}${mark ? `  ${mark}` : ""}`;
  });
  // The question is about changed files, so all of them are listed.
  const order = [
    ...listed.filter((_, index) => files[index]?.change),
    ...listed.filter((_, index) => !files[index]?.change),
  ];
  const head = Math.max(maxListed, files.filter(({ change }) => change).length);
  const gap = (leftOut: number) => `  … ${leftOut} more files`;
  const verb = status === "trusted" ? "overrides" : "would override";
  const shadows = overrides.flatMap(({ name, shadows }) => {
    return shadows.map(({ path, scope }) => `  ${verb} the ${scope} tool ${name} (${shortPath(path, places)})`);
  });
  return `${[
    `${sanitiseLine(isWider ? dirname(dir) : dir)} ${statusText[status]}${files.length > 0 ? ":" : "."}`,
    ...headAndTail(order, { head, tail: 0, gap }),
    ...shadows,
    ...(problem === undefined ? [] : [`Cannot trust it: ${sanitiseLine(problem)}`]),
  ].join("\n")}\n`;
}

/** When a file would run as a hook; empty for other files. */
function hookRole(path: string): string {
  const [directory, event = "", tool, name] = path.split("/");
  if (directory !== "hooks" || tool === undefined || !isHookEvent(event)) return "";
  const { isOfCalls } = hookEvents[event];
  return `  hook: ${event}${isOfCalls && name !== undefined ? ` of ${sanitiseLine(tool)}` : ""}`;
}

/** What a project's files do once they are trusted: the rest of a sentence. @param would "would " before the user has answered. */
export function trustEffect({ files }: TrustReport, would = ""): string {
  const isText = ({ path }: TrustedFile) => Object.values(textPatterns).some((pattern) => pattern.test(path));
  const programs = files.some(({ path }) => hookRole(path) !== "") ? "tools and hooks" : "tools";
  const runs = `${programs} ${would}run with your privileges`;
  const texts = Object.entries(textPatterns).flatMap(([name, pattern]) =>
    files.some(({ path }) => pattern.test(path)) ? [name] : [],
  );
  if (texts.length === 0) return runs;
  const hasPrograms = files.some((file) => !isText(file) || file.path.endsWith(toolSuffix));
  return `${hasPrograms ? `${runs}, and the ` : ""}${texts.join(", ").replace(/, ([^,]*)$/, " and $1")} ${would}instruct the model`;
}

/** The files whose text a model gets: of skills, of agents with instructions of their own, of the commands that the user types. */
const textPatterns = {
  skills: /^(?:\.\.\/\.(?:agents|claude)\/)?skills(?:\/|$)/,
  agents: /^agents\/[^/]+\.md$/,
  commands: /^commands\/.*\.md$/,
};
