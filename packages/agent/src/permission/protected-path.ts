import { join, sep } from "node:path";
import { decisiveFileAt, gitPlacesNamed, sharedSkillPlaces } from "@ikigai/core/internal";
import { isInside, userHome } from "@ikigai/system";
import { foldName } from "./fold-name.ts";
import type { Permission } from "./permission.ts";
import { realTarget } from "./real-target.ts";

/** Matches `.ikigai`, `.git`, and settings that make git run programs, but not `https://host/project.git`. */
const mentionPattern = /\.ikigai|ikigai_home|(?:^|[\s/"'=:(])\.git(?:[\s/"';)]|$)|core\.(?:hookspath|fsmonitor)/;

/**
 * Returns why writing to a real path always needs a question: it is in the user's directory, among the user's skills, whose scripts are
 * tools, or decides what runs.
 */
export function protectionOf(realPath: string, { home, projectDir }: Pick<Permission, "home" | "projectDir">) {
  const folded = foldName(realPath);
  const isIn = (place: string) => isInside(folded, foldName(realTarget(place, sep) ?? place));
  if ([home, ...userSkillPlaces()].some(isIn))
    return "it writes to a protected directory: files there determine what runs";
  const user = userHome();
  const project = realTarget(".", projectDir) ?? projectDir;
  const scope = { path: folded, project: foldName(project), userHome: user && foldName(realTarget(user, sep) ?? user) };
  const row = decisiveFileAt(scope);
  if (row) return `it writes to ${row.path}, which determines what runs: ${row.why}`;
  return gitPlacesNamed(project, user ?? sep, process.env).some(isIn)
    ? "it writes to a place that git's configuration names, which determines what runs"
    : undefined;
}

/** Where the user's skills are besides the user's directory. */
function userSkillPlaces(): readonly string[] {
  const user = userHome();
  return user === undefined ? [] : sharedSkillPlaces.map((place) => join(user, place));
}

/** Whether a command, or the arguments of a tool, name a protected place. */
export function mentionsProtected(text: string, home: string): boolean {
  const folded = foldName(text);
  return mentionPattern.test(folded) || folded.includes(foldName(home));
}
