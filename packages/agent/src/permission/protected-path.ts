import { join, sep } from "node:path";
import { sharedSkillPlaces } from "@ikigai/core/internal";
import { isInside, userHome } from "@ikigai/system";
import { foldName } from "./fold-name.ts";
import { realTarget } from "./real-target.ts";

/** Directories whose files run automatically or determine what runs. */
const protectedNames = [".ikigai", ".git"];

/** Matches those directories, and settings that make git run programs, but not `https://host/project.git`. */
const mentionPattern = /\.ikigai|ikigai_home|(?:^|[\s/"'=:(])\.git(?:[\s/"';)]|$)|core\.(?:hookspath|fsmonitor)/;

/**
 * Whether writing to a real path always needs a question: in the user's directory, among the user's skills, whose scripts are tools,
 * any `.ikigai` or any `.git`.
 */
export function isProtected(realPath: string, home: string): boolean {
  const folded = foldName(realPath);
  const isIn = (place: string) => isInside(folded, foldName(realTarget(place, sep) ?? place));
  return [home, ...userSkillPlaces()].some(isIn) || folded.split(sep).some((name) => protectedNames.includes(name));
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
