import { sep } from "node:path";
import { isInside } from "@ikigai/system";
import { foldName } from "./fold-name.ts";
import { realTarget } from "./real-target.ts";
import { matchesWildcard } from "./wildcard.ts";

/** Directories in which a file is code that runs by itself, or says what may run. */
const protectedNames = [".ikigai", ".git"];

/** Those directories, and the settings with which git runs programs. `https://host/project.git` is neither. */
const mentionPattern = /\.ikigai|ikigai_home|(?:^|[\s/"'=:(])\.git(?:[\s/"';)]|$)|core\.(?:hookspath|fsmonitor)/;

/** Whether writing to a real path is always a question: the user's own directory, any `.ikigai` or `.git`. */
export function isProtected(realPath: string, home: string): boolean {
  const realHome = realTarget(home, sep) ?? home;
  const folded = foldName(realPath);
  return isInside(folded, foldName(realHome)) || folded.split(sep).some((name) => protectedNames.includes(name));
}

/** Whether a text, folded, names such a place. All that can be told of a tool with arguments of its own. */
export function mentionsProtected(folded: string, home: string): boolean {
  return mentionPattern.test(folded) || folded.includes(foldName(home));
}

/** Whether a shell may replace a pattern by the name of such a place. */
export function mayMatchProtected(pattern: string): boolean {
  const steps = foldName(pattern).split("/");
  return steps.some((step) => {
    // A star matches no leading dot. A bracket expression is taken for any text.
    if (!step.startsWith(".") || !/[*?[]/.test(step)) return false;
    const loose = step.replace(/[?[].*|\*+/g, "*").replaceAll("\\", "\\\\");
    return protectedNames.some((name) => matchesWildcard(loose, name));
  });
}
