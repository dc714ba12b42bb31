import { sep } from "node:path";
import { isInside } from "@ikigai/core";
import { realTarget } from "./real-target.ts";

/** Directories in which a file is code that runs by itself, or says what may run. */
const protectedNames = new Set([".ikigai", ".git"]);

/** Those directories, and the settings with which git runs programs. `https://host/project.git` is neither. */
const mentionPattern = /\.ikigai|(?:^|[\s/"'=:(])\.git(?:[\s/"';)]|$)|core\.(?:hookspath|fsmonitor)/;

/** Whether writing to a real path is always a question: the user's own directory, any `.ikigai` or `.git`. */
export function isProtected(realPath: string, home: string): boolean {
  const realHome = realTarget(home, sep) ?? home;
  return isInside(fold(realPath), fold(realHome)) || realPath.split(sep).some((name) => protectedNames.has(fold(name)));
}

/** Whether a text names such a place. All that can be told of a command or of a tool with arguments of its own. */
export function mentionsProtected(text: string, home: string): boolean {
  const folded = fold(text);
  return mentionPattern.test(folded) || folded.includes(fold(home)) || setsGitConfig(folded);
}

const readingOptions = new Set(["--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"]);

/** Whether a command writes to git's configuration, which is a file like those. */
function setsGitConfig(command: string): boolean {
  const words = command.split(/[\s;&|()]+/);
  return words.some((word, index) => {
    if (word !== "git" && !word.endsWith("/git")) return false;
    let next = index + 1;
    while (words[next]?.startsWith("-")) next += words[next] === "-c" ? 2 : 1;
    return words[next] === "config" && !readingOptions.has(words[next + 1] ?? "");
  });
}

/** As a file system that ignores case would read it, and one that ignores invisible characters. */
function fold(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .toLowerCase();
}
