import type { projectOverrides, TrustReport } from "@ikigai/core";
import { shortPath } from "../places.ts";
import { sanitiseLine } from "./sanitise.ts";

/** How many files are listed; somebody who trusts more has to look for themselves. */
const maxListed = 40;

const statusWords: Record<TrustReport["status"], string> = {
  nothing: "there is nothing of the project's own",
  trusted: "trusted",
  untrusted: "not trusted",
  changed: "changed since it was trusted",
};

/** What a project brings, what it would override, and whether it is trusted. */
export function renderTrust(
  { status, dir, files, problem }: TrustReport,
  overrides: ReturnType<typeof projectOverrides>,
  env: NodeJS.ProcessEnv,
): string {
  const listed = files.slice(0, maxListed).map(({ path, kind, change, realPath }) => {
    const where = realPath ? ` → ${shortPath(realPath, env)}` : "";
    return `  ${sanitiseLine(path)}  ${sanitiseLine(kind)}${sanitiseLine(where)}${change ? `  ${change}` : ""}`;
  });
  const more = files.length > maxListed ? [`  … ${files.length - maxListed} more files`] : [];
  const shadows = overrides
    .filter((override) => override.shadows.length > 0)
    .map(({ name, shadows: [nearest] }) => `  would override ${name} (${nearest?.scope})`);
  return `${[
    `${sanitiseLine(shortPath(dir, env))}: ${statusWords[status]}`,
    ...listed,
    ...more,
    ...shadows,
    ...(problem ? [sanitiseLine(problem)] : []),
  ].join("\n")}\n`;
}

/** The line that tells of tools that are not used because the project is not trusted; empty when there are none. */
export function untrustedNotice(names: readonly string[]): string {
  if (names.length === 0) return "";
  const tools = names.length === 1 ? "1 project tool" : `${names.length} project tools`;
  return `${tools} not trusted: ${names.map(sanitiseLine).join(", ")} — ikigai trust\n`;
}
