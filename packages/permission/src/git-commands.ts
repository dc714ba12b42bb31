import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isInside } from "@ikigai/system";
import { realTarget } from "./paths.ts";
import { gitCommand, withDirectories, wordsProblem } from "./reading.ts";
import { isHarmlessRedirect, type ShellWord, type SimpleCommand } from "./shell.ts";

/*
 * Which commands are nothing but git. Those that only record work, in words of which all is known, run where git can write to the
 * repository, and no other program can. Others that write to it need to leave the sandbox, so they are asked about before they fail.
 */

/** Commands of git that record work, with the options that they may have. A word that begins like an option counts as one. */
const recordingOptions: Readonly<Record<string, RegExp>> = {
  add: /^-(?:|[AuvnN]+|-all|-update|-verbose|-dry-run|-intent-to-add|-renormalize|-chmod=[+-]x)$/,
  branch: /^-(?:q|-quiet)$/,
  checkout: /^-(?:b|q|-quiet|)$/,
  commit:
    /^-(?:|[aqvsn]*(?:m.*|F)?|-(?:message|author|date|fixup|squash|file)(?:=.*)?|-(?:all|quiet|verbose|signoff|amend|no-edit|no-verify|no-gpg-sign|no-status|reset-author|allow-empty|allow-empty-message))$/s,
  mv: /^-(?:|[fknv]+)$/,
  reset: /^-(?:|q|-quiet|-soft|-mixed)$/,
  restore: /^-(?:|[SWq]+|-staged|-worktree|-quiet)$/,
  rm: /^-(?:|[rfqn]+|-cached|-force|-ignore-unmatch|-quiet)$/,
  stash: /^-(?:|[ukSq]*m?|-message(?:=.*)?|-include-untracked|-keep-index|-staged|-index|-quiet)$/s,
  switch: /^-(?:c|q|-create|-quiet)$/,
  tag: /^-(?:a|q|m.*|-annotate|-message(?:=.*)?)$/s,
};

/** Programs that may run beside them: no option and no operand lets one of these write a file or run a program. */
const silent = new Set(
  ": basename cat cut dirname du echo expr false grep head id ls nl od paste pwd realpath rev seq stat tac tail test tr true type wc".split(
    " ",
  ),
);

/** Other commands that write to a repository. */
const writing = new Set(
  (
    "am bisect cherry-pick config fetch gc init merge notes pull push rebase remote revert submodule symbolic-ref update-index " +
    "update-ref worktree"
  ).split(" "),
);

/** What a command of nothing but git does to the repository. */
export type GitUse = "records" | "writes";

/** Returns what a command does to a repository, if it is nothing but git and programs that read; else `undefined`, also if it only reads. */
export function gitUse(commands: readonly SimpleCommand[] | undefined, projectDir: string): GitUse | undefined {
  const project = realTarget(".", projectDir);
  let use: GitUse | undefined;
  let isPlain = project !== undefined;
  for (const { command, directory, target } of withDirectories(commands ?? [], projectDir)) {
    const { words, redirects, before } = command;
    const [name = "", ...rest] = words.map(({ text }) => text);
    if (before === "&" || !redirects.every(isHarmlessRedirect)) return undefined;
    const place =
      name === "git" && rest[0] === "-C" ? realTarget(rest[1] ?? ".", directory ?? "/") : (target ?? directory);
    isPlain &&= isOfProject(place, project) && words.every(isAsGiven);
    if (name === "cd") continue;
    if (wordsProblem(command) === undefined) isPlain &&= readsHere(name, rest);
    else {
      const kind = name === "git" ? useOf(rest) : undefined;
      if (kind === undefined || !isOfProject(place, project)) return undefined;
      use = use === "writes" ? use : kind;
    }
  }
  return use === "records" && !isPlain ? "writes" : use;
}

/** Whether git finds the repository of the project in a directory. The sandbox lets it write to others in there. */
function isOfProject(place: string | undefined, project: string | undefined): boolean {
  if (place === undefined || project === undefined || !isInside(place, project)) return false;
  return place === project || (!existsSync(join(place, ".git")) && isOfProject(dirname(place), project));
}

/** Whether a word is what the program gets: the name of a file, in place of a pattern, could be an option. */
function isAsGiven({ text, isPattern, isTilde }: ShellWord): boolean {
  return !isTilde && (!isPattern || /^[\w./]/.test(text));
}

/** Whether a program that reads is git in the same repository, or one that cannot do anything else. */
function readsHere(name: string, rest: readonly string[]): boolean {
  return name === "git" ? !rest[0]?.startsWith("-") : silent.has(name);
}

function useOf(texts: readonly string[]): GitUse | undefined {
  const { command = "", rest } = gitCommand(texts);
  const options = Object.hasOwn(recordingOptions, command) ? recordingOptions[command] : undefined;
  // Another directory becomes a repository.
  if (command === "init" && rest.some((text) => !text.startsWith("-"))) return undefined;
  if (options === undefined) return writing.has(command) ? "writes" : undefined;
  const end = rest.indexOf("--");
  const known = (end < 0 ? rest : rest.slice(0, end)).filter((text) => text.startsWith("-"));
  const isKnown = texts[0] === command && known.every((text) => options.test(text));
  return isKnown && hasOperands(command, rest) ? "records" : "writes";
}

/** Whether operands do not make another command of it: one that changes to another branch, or throws something away. */
function hasOperands(command: string, rest: readonly string[]): boolean {
  const operands = rest.filter((text) => !text.startsWith("-"));
  const [first = ""] = operands;
  if (command === "branch") return operands.length === 1;
  if (command === "switch") return operands.length === 1 && rest.some((text) => text === "-c" || text === "--create");
  if (command === "checkout") return rest[0] === "--" || (operands.length === 1 && rest.includes("-b"));
  return command !== "stash" || /^(?:|push|save|pop|apply)$/.test(first) || rest[0] === "-m";
}
