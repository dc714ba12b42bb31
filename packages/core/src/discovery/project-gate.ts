import { basename, join } from "node:path";
import type { FailedTool } from "../registry/registry.ts";
import { projectSkillScripts } from "../skills/skill-directories.ts";
import type { ExaminedProject } from "../trust/project-trust.ts";
import type { TrustReport } from "../trust/trust-report.ts";
import { type Candidate, escapedName, toolNameOf } from "./list-candidates.ts";

/** How many changed files the reason names; the trust prompt lists all. */
const maxNamed = 3;

/** Whether a tool may be run: it is not the project's, or its file is the one the user trusted. */
export function isTrusted({ scope, path, stamp, skill }: Candidate, { report, files }: ExaminedProject): boolean {
  if (scope !== "project") return true;
  // The directory of a skill is already the one in the report.
  const reported = skill === undefined ? join(report.dir, "tools", basename(path)) : path;
  return report.status === "trusted" && files.get(reported) === stamp;
}

/** The tools of a project's skills while it is not trusted: its skills are not read then, so nothing else finds these files. */
export function untrustedScripts(report: TrustReport): FailedTool[] {
  if (report.status === "trusted") return [];
  return projectSkillScripts(report)
    .filter(({ change }) => change !== "removed")
    .map(({ path }) => {
      const file = basename(path);
      const name = toolNameOf(file) ?? escapedName(file);
      return { name, path: join(report.dir, path), scope: "project", ...whyUntrusted(report) };
    });
}

/** The reason that is reported for a tool of an untrusted project. */
export function whyUntrusted({ status, files, problem }: TrustReport): Pick<FailedTool, "reason" | "detail"> {
  if (problem !== undefined) return { reason: "untrusted", detail: `it cannot be trusted: ${problem}` };
  if (status !== "changed") return { reason: "untrusted", detail: "to use it, review it and run: ikigai trust" };
  const changed = files.filter(({ change }) => change).map(({ path, change }) => `${path} (${change})`);
  const more = changed.length > maxNamed ? ` and ${changed.length - maxNamed} more` : "";
  const named = changed.slice(0, maxNamed).join(", ");
  return {
    reason: "untrusted",
    detail: `changed since you trusted it: ${named}${more}; review it and run: ikigai trust`,
  };
}
