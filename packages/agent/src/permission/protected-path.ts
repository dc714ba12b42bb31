import { join, sep } from "node:path";
import { sharedSkillPlaces } from "@ikigai/core/internal";
import { isInside, userHome } from "@ikigai/system";
import { foldName } from "./fold-name.ts";
import { realTarget } from "./real-target.ts";
import { matchesWildcard } from "./wildcard.ts";

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

/** Whether a folded text names a protected place. The only check possible for a tool with arguments of its own. */
export function mentionsProtected(folded: string, home: string): boolean {
  return mentionPattern.test(folded) || folded.includes(foldName(home));
}

/** Whether a shell may expand a pattern to the name of a protected place. */
export function mayMatchProtected(pattern: string): boolean {
  const steps = foldName(pattern).split("/");
  return steps.some((step) => {
    // A star matches no leading dot. A bracket expression is treated as any text.
    if (!step.startsWith(".") || !/[*?[]/.test(step)) return false;
    const loose = step.replace(/[?[].*|\*+/g, "*").replaceAll("\\", "\\\\");
    return protectedNames.some((name) => matchesWildcard(loose, name));
  });
}

/** A home directory, as a shell expands it. */
const homePrefix = /^(?:~[^/]*|\$home|\$\{home\})$/;

/**
 * Whether a folded text that cannot be parsed has a pattern, braces or a variable that may expand to the name of a protected
 * place: below a home directory, after the name's first letter, or outside quotes.
 */
export function mayExpandToProtected(folded: string): boolean {
  return folded.split(/[\s;&|()<>`=:]+/).some((word) => {
    const steps = word.replace(/["'\\]/g, "").split("/");
    const isInHome = steps.slice(0, -1).some((step) => homePrefix.test(step));
    const isBare = !/["'\\]/.test(word);
    return steps.some((step) => expandsToProtected(step, isInHome, isBare));
  });
}

function expandsToProtected(step: string, isInHome: boolean, isBare: boolean): boolean {
  if (homePrefix.test(step) || !/[*?[{$]/.test(step)) return false;
  const isHidden = step.startsWith(".") && (isBare || /^\.\w/.test(step));
  // A variable or braces may begin with a dot; a pattern does not.
  if (!isHidden && !(isInHome && /^[.{$]/.test(step))) return false;
  const loose = step.replace(/[?[{$].*|\*+/g, "*");
  return protectedNames.some((name) => matchesWildcard(loose, name));
}
