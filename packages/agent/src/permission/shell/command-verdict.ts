import { isInsideProject } from "../inside-project.ts";
import type { Permission, Verdict } from "../permission.ts";
import { partJudge } from "../read-only/only-reads.ts";
import { type CommandRule, speaksOf, standsIn, trimBlanks } from "./command-rule.ts";
import type { SimpleCommand } from "./read-shell.ts";
import { isHarmlessRedirect } from "./redirect.ts";
import { programName, runsArguments, runsUnknown } from "./runs-arguments.ts";
import { type PlacedCommand, withDirectories } from "./with-directories.ts";

/** What rules say of a command. `unclear`: a rule that denies or asks could speak of it, which is always a question. */
export type CommandVerdict = Verdict | "unclear" | undefined;

/** How many pieces of a command that is not understood are looked at for commands that a rule denies. */
const maxPieces = 2_000;

/** A rule, and whether it speaks of the command as a whole. */
interface JudgedRule {
  readonly rule: CommandRule;
  readonly speaksOfWhole: boolean;
}

/** Where a command is judged. */
export interface CommandScope {
  readonly permission: Permission;
  /** Parts that only read inside the project need no rule beside those that have one. */
  readonly readsFreely: boolean;
}

/**
 * What the rules say of a command; `commands` is what `readShell` says of it. Each of its parts is judged by the first rule that
 * speaks of it, and the strictest verdict counts; it is allowed when every part is. A command that is not understood is allowed
 * by a rule without pattern or by one that is the command to the letter, and where rules deny or ask about commands by the latter
 * alone.
 */
export function commandVerdict(
  command: string,
  commands: readonly SimpleCommand[] | undefined,
  rules: readonly CommandRule[],
  scope: CommandScope,
): CommandVerdict {
  if (commands === undefined) return textVerdict(command, rules);
  if (commands.length === 0) return rules.find(({ isBlanket }) => isBlanket)?.verdict;
  const spellings = [trimBlanks(command), trimBlanks(commands.map(spelledOut).join(" "))];
  const judged = rules.map((rule) => ({ rule, speaksOfWhole: speaksOf(rule, spellings) }));
  const parts = withDirectories(commands, scope.permission.projectDir);
  const verdicts = parts.map((part) => partVerdict(part.command, judged) ?? unruledVerdict(part, scope.permission));
  for (const verdict of ["deny", "ask", "unclear"] as const) if (verdicts.includes(verdict)) return verdict;
  return othersOnlyRead(parts, verdicts, scope) ? "allow" : undefined;
}

/** Whether there is a part that a rule allows, and all that have none only read. */
function othersOnlyRead(
  parts: readonly PlacedCommand[],
  verdicts: readonly CommandVerdict[],
  { permission, readsFreely }: CommandScope,
): boolean {
  if (!verdicts.includes(undefined)) return true;
  if (!readsFreely || !verdicts.includes("allow")) return false;
  const problemOf = partJudge(permission);
  const isChanging = parts.some((part, index) => verdicts[index] === "allow" && problemOf(part) !== undefined);
  const problemBeside = partJudge(permission, isChanging);
  return parts.every((part, index) => verdicts[index] === "allow" || problemBeside(part) === undefined);
}

function spelledOut({ before, words }: SimpleCommand): string {
  return `${before} ${joined(words)}`;
}

function joined(words: SimpleCommand["words"]): string {
  return words.map(({ text }) => text).join(" ");
}

/** The verdict of the first rule that speaks of a part. */
function partVerdict(command: SimpleCommand, rules: readonly JudgedRule[]): CommandVerdict {
  const { words, source } = command;
  const asReceived = joined(words);
  const [first, ...operands] = words;
  const asNamed = first ? joined([{ ...first, text: programName(first) }, ...operands]) : "";
  const texts = [asReceived, plainText(asReceived)];
  const doesRun = runsArguments(words);
  const isUnknown = runsUnknown(words);
  for (const { rule, speaksOfWhole } of rules) {
    const { verdict, isBlanket } = rule;
    if (isBlanket) return verdict;
    if (verdict === "allow") {
      if (allowsPart(rule, command, speaksOfWhole)) return verdict;
      continue;
    }
    if (speaksOfWhole || speaksOf(rule, [source, asReceived, asNamed, ...withoutGitOptions(words)])) return verdict;
    const isNamed = texts.some((text) => standsIn(rule, text));
    if (isNamed && doesRun) return verdict;
    if (isNamed || isUnknown) return "unclear";
  }
  return undefined;
}

/** Options in front of a git command whose value is a word of its own. */
const gitValueOptions = /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|config-env|exec-path|super-prefix|attr-source))$/;

/** A command of git without the options in front of it, which a rule that denies `git push` does not name; else nothing. */
function withoutGitOptions(words: SimpleCommand["words"]): string[] {
  const [first, ...rest] = words;
  if (!first || programName(first) !== "git") return [];
  let index = 0;
  while (rest[index]?.text.startsWith("-")) index += gitValueOptions.test(rest[index]?.text ?? "") ? 2 : 1;
  return [["git", ...rest.slice(index).map(({ text }) => text)].join(" ")];
}

/** A rule with a star allows no redirection to or from a file, and no command of which it is not certain what runs. */
function allowsPart(rule: CommandRule, { source, redirects }: SimpleCommand, speaksOfWhole: boolean): boolean {
  if (rule.isLiteral) return speaksOfWhole || speaksOf(rule, [source]);
  return source !== "" && redirects.every(isHarmlessRedirect) && speaksOf(rule, [source]);
}

/** What needs no rule: a part that runs nothing, and `cd` to a directory inside the project. */
function unruledVerdict({ command, target }: PlacedCommand, permission: Permission): Verdict | undefined {
  const { words, redirects } = command;
  if (!redirects.every(isHarmlessRedirect)) return undefined;
  return words.length === 0 || isInsideProject(target, permission) ? "allow" : undefined;
}

/** Whatever could divide commands, words or the name of a program from its directory, as one blank. */
function plainText(text: string): string {
  return text.replace(/[\s;&|`(){}<>"'$/\\]+/g, " ");
}

/** The verdict on a text that may run anything. */
function textVerdict(command: string, rules: readonly CommandRule[]): CommandVerdict {
  const pieces = possibleCommands(command);
  const isStrict = rules.some(({ verdict, isBlanket }) => verdict !== "allow" && !isBlanket);
  const rule = rules.find((one) => {
    if (one.isBlanket) return true;
    if (one.verdict === "allow") return one.isLiteral && speaksOf(one, [trimBlanks(command)]);
    return speaksOf(one, pieces);
  });
  if (isStrict && (rule === undefined || (rule.verdict === "allow" && rule.isBlanket))) return "unclear";
  return rule?.verdict;
}

/** Keywords and assignments that stand before a command. */
const beforeCommand = /^(?:(?:if|then|else|elif|while|until|do|time|!|\w+=\S*)\s+)+/;

/** Every piece that could be a command, wherever a shell might see one, as far as they are looked at. */
function possibleCommands(command: string): readonly string[] {
  const unquoted = command.replace(/["'\\]/g, "");
  const pieces = [command.split(/[;&|\n`(){}<>"']/, maxPieces), unquoted.split(/[;&|\n`(){}<>]/, maxPieces)];
  const all = [command, ...pieces.flat()].map(trimBlanks);
  return [...new Set([...all, ...all.map((piece) => piece.replace(beforeCommand, ""))])].filter(
    (piece) => piece !== "",
  );
}
