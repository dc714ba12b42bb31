import { basename, join } from "node:path";
import type { FailedTool } from "../registry/registry.ts";
import type { ExaminedProject } from "../trust/project-trust.ts";
import type { TrustReport } from "../trust/trust-report.ts";
import type { Candidate } from "./list-candidates.ts";

/** How many changed files are named; the trust question names all. */
const maxNamed = 3;

/** Whether a tool may be run: it is not the project's, or it is one of the files the user said yes to, as they were then. */
export function isTrusted({ scope, path, stamp }: Candidate, { report, files }: ExaminedProject): boolean {
  if (scope !== "project") return true;
  return report.status === "trusted" && files.get(join(report.dir, "tools", basename(path))) === stamp;
}

export function whyUntrusted({ status, files, problem }: TrustReport): Pick<FailedTool, "reason" | "detail"> {
  if (problem !== undefined) return { reason: "untrusted", detail: `it cannot be trusted: ${problem}` };
  if (status !== "changed") return { reason: "untrusted", detail: "to use it, look at it and run: ikigai trust" };
  const changed = files.filter(({ change }) => change).map(({ path, change }) => `${path} (${change})`);
  const more = changed.length > maxNamed ? ` and ${changed.length - maxNamed} more` : "";
  const named = changed.slice(0, maxNamed).join(", ");
  return { reason: "untrusted", detail: `not what you trusted: ${named}${more}; look at it and run: ikigai trust` };
}
