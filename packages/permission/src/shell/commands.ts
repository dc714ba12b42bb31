// What rules about commands say about one: `bash(git push *)`. Each part is judged by the first rule that matches it. A rule that denies or
// asks also counts where it might match; one that allows, only where it certainly does.

import type { Permission, Verdict } from "../permission.ts";
import { matches, toWildcard, type Wildcard } from "../rules/wildcard.ts";
import { isInsideProject, realTarget } from "../targets/paths.ts";
import { exceedsStars, programName, runsArguments, runsUnknown } from "./programs.ts";
import { type PlacedCommand, partJudge, withDirectories } from "./reading.ts";
import { isHarmlessRedirect, readShell, type SimpleCommand } from "./shell.ts";

/** A rule about commands, prepared for comparison. */
export interface CommandRule {
  readonly verdict: Verdict;
  /** As written, without blanks at the ends. */
  readonly pattern: string;
  /** Whether it has no pattern, or one that matches everything. */
  readonly isBlanket: boolean;
  /** Whether it has no star and so matches exactly one command. */
  readonly isLiteral: boolean;
  /** Match a command from its beginning. `git log *` also matches `git log`. */
  readonly wholes: readonly Wildcard[];
  /** Match after any blank. */
  readonly anywhere: readonly Wildcard[];
}

export function toCommandRule(verdict: Verdict, pattern = "*"): CommandRule {
  const wanted = trimBlanks(pattern);
  const patterns = wanted.endsWith(" *") ? [wanted, wanted.slice(0, -2)] : [wanted];
  const wholes = patterns.map(toWildcard);
  return {
    verdict,
    pattern: wanted,
    isBlanket: wanted === "*",
    isLiteral: wholes[0]?.pieces.length === 1,
    wholes,
    anywhere: patterns.map((one) => toWildcard(`* ${one}`)),
  };
}

/** Whether a rule matches one of several spellings of a command. */
export function speaksOf({ wholes }: CommandRule, spellings: readonly string[]): boolean {
  return spellings.some((text) => wholes.some((wildcard) => matches(wildcard, text)));
}

/** Whether a rule matches anywhere in a text, at the beginning of a word. */
export function standsIn({ anywhere }: CommandRule, text: string): boolean {
  return anywhere.some((wildcard) => matches(wildcard, ` ${text}`));
}

/** Removes what a shell skips at both ends. It does not skip a no-break space. */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && " \t\n".includes(text.charAt(start))) start++;
  while (end > start && " \t\n".includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** The rules' verdict on a command. `unclear`: a deny or ask rule might match, so it needs a question. */
export type CommandVerdict = Verdict | "unclear" | undefined;

/** Maximum number of pieces of an unparsed command that are checked for denied commands. */
const maxPieces = 2_000;

/** A rule, and whether it matches the command as a whole. */
interface JudgedRule {
  readonly rule: CommandRule;
  readonly speaksOfWhole: boolean;
}

/** Where a command is judged. */
export interface CommandScope {
  readonly permission: Permission;
  /** Whether parts that are read-only inside the project need no rule if other parts have one. */
  readonly readsFreely: boolean;
  /** Whether the sandbox holds the command. Then a rule that denies or asks may apply to what cannot be read only if its words are there. */
  readonly isHeld?: boolean;
}

/**
 * Returns the rules' verdict on a command; `commands` is the result of `readShell`. Each part is judged by the first rule
 * that matches it, and the strictest verdict wins; it is allowed only if every part is. A command that cannot be parsed is
 * allowed by a rule without a pattern or by one that is exactly the command; if any rule denies or asks about commands, only
 * by the latter.
 */
export function commandVerdict(
  command: string,
  commands: readonly SimpleCommand[] | undefined,
  rules: readonly CommandRule[],
  scope: CommandScope,
): CommandVerdict {
  if (commands === undefined) return textVerdict(command, rules, scope);
  if (commands.length === 0) return rules.find(({ isBlanket }) => isBlanket)?.verdict;
  const asWritten = trimBlanks(command);
  // Without quotes and redirections it may be another command, so only rules that deny or ask compare it.
  const spellings = [asWritten, trimBlanks(commands.map(spelledOut).join(" "))];
  const judged = rules.map((rule) => ({
    rule,
    speaksOfWhole: speaksOf(rule, rule.verdict === "allow" ? [asWritten] : spellings),
  }));
  const parts = withDirectories(commands, scope.permission.projectDir);
  const start = realTarget(".", scope.permission.projectDir);
  const verdicts = parts.map(
    (part) => partVerdict(part, judged, { ...scope, start }) ?? unruledVerdict(part, scope.permission),
  );
  for (const verdict of ["deny", "ask", "unclear"] as const) if (verdicts.includes(verdict)) return verdict;
  return othersOnlyRead(parts, verdicts, scope) ? "allow" : undefined;
}

/** Whether a rule about commands is about this one. One that denies or asks is, if it might be. */
export function matchesCommand(verdict: Verdict, pattern: string | undefined, command: string): boolean {
  const permission: Permission = { mode: "ask", rules: [], projectDir: "/", home: "/" };
  const rules = [toCommandRule(verdict, pattern)];
  const given = commandVerdict(command, readShell(command), rules, { permission, readsFreely: false });
  return given === verdict || given === "unclear";
}

/** Whether a rule allows some part, and all parts without a rule are read-only. */
function othersOnlyRead(
  parts: readonly PlacedCommand[],
  verdicts: readonly CommandVerdict[],
  { permission, readsFreely }: CommandScope,
): boolean {
  if (!verdicts.includes(undefined)) return true;
  if (!readsFreely || !verdicts.includes("allow")) return false;
  const reads = partJudge(permission);
  const isChanging = parts.some((part, index) => verdicts[index] === "allow" && reads(part) !== undefined);
  const problemOf = partJudge(permission, isChanging);
  return parts.every((part, index) => verdicts[index] === "allow" || problemOf(part) === undefined);
}

function spelledOut({ before, words }: SimpleCommand): string {
  return `${before} ${joined(words)}`;
}

function joined(words: SimpleCommand["words"]): string {
  return words.map(({ text }) => text).join(" ");
}

/** Whether all words of a rule up to its star are in a text, in any order and quoted in any way. */
function isSpelledIn({ pattern }: CommandRule, text: string): boolean {
  const [fixed = ""] = pattern.split("*");
  const words = plainText(fixed).split(" ").filter(Boolean);
  const within = ` ${plainText(text)}`;
  return words.every((word) => within.includes(` ${word}`));
}

/** Returns the verdict of the first rule that matches a part. @param scope with the directory in which the whole command runs. */
function partVerdict(
  { command, directory }: PlacedCommand,
  rules: readonly JudgedRule[],
  { start, isHeld = false }: CommandScope & { readonly start: string | undefined },
): CommandVerdict {
  const { words, source } = command;
  const isElsewhere = hasRelativeProgram(command) && (directory === undefined || directory !== start);
  const asReceived = joined(words);
  const [first, ...operands] = words;
  const asNamed = first ? joined([{ ...first, text: programName(first) }, ...operands]) : "";
  const texts = [asReceived, plainText(asReceived)];
  const behind = gitCommandsIn(operands);
  const doesRun = runsArguments(words);
  const isUnknown = behind === undefined || runsUnknown(words);
  for (const { rule, speaksOfWhole } of rules) {
    const { verdict, isBlanket } = rule;
    if (isBlanket) return verdict;
    if (verdict === "allow") {
      if (allowsPart(rule, command, { speaksOfWhole, isElsewhere })) return verdict;
      continue;
    }
    if (speaksOfWhole || speaksOf(rule, [source, asReceived, asNamed, ...withoutGitOptions(words)])) return verdict;
    const isNamed = texts.some((text) => standsIn(rule, text)) || speaksOf(rule, behind ?? []);
    if (isNamed && doesRun) return verdict;
    if (isHeld ? isUnknown && (isNamed || isSpelledIn(rule, asReceived)) : isNamed || isUnknown) return "unclear";
  }
  return undefined;
}

/** Git options before the command whose value is a separate word. */
const gitValueOptions = /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|config-env|exec-path|super-prefix|attr-source))$/;

/**
 * Returns a git command without the options before it, since a rule like `git push` does not name them, also for the program of one
 * subcommand, `git-push`; otherwise nothing.
 */
function withoutGitOptions(words: SimpleCommand["words"]): string[] {
  const [first, ...rest] = words;
  if (!first) return [];
  const name = programName(first);
  if (name.startsWith("git-")) return [["git", name.slice("git-".length), ...rest.map(({ text }) => text)].join(" ")];
  if (name !== "git") return [];
  let index = 0;
  while (rest[index]?.text.startsWith("-")) index += gitValueOptions.test(rest[index]?.text ?? "") ? 2 : 1;
  return [["git", ...rest.slice(index).map(({ text }) => text)].join(" ")];
}

/** More words that may be git than this among the operands of a command are not compared. */
const maxGitWords = 20;

/** The commands of git among the operands of another program, as `withoutGitOptions` returns them; `undefined` if they are too many. */
function gitCommandsIn(operands: SimpleCommand["words"]): string[] | undefined {
  const starts = operands.flatMap((word, index) => (/^git(?:-|$)/.test(programName(word)) ? [index] : []));
  return starts.length > maxGitWords ? undefined : starts.flatMap((start) => withoutGitOptions(operands.slice(start)));
}

/** Whether a command names its program by a relative path: in another directory that is another program. */
function hasRelativeProgram({ words: [first] }: SimpleCommand): boolean {
  return first?.text.includes("/") === true && !first.text.startsWith("/");
}

/**
 * A rule with a star allows no redirection to or from a file, no command whose program is uncertain, and nothing that no star covers. A
 * rule about a program by its relative path means the one in the project's directory, unless it is the whole command with the `cd`
 * before it.
 */
function allowsPart(
  rule: CommandRule,
  { source, redirects, words }: SimpleCommand,
  { speaksOfWhole, isElsewhere }: { readonly speaksOfWhole: boolean; readonly isElsewhere: boolean },
): boolean {
  if (rule.isLiteral && speaksOfWhole) return true;
  if (isElsewhere) return false;
  if (rule.isLiteral) return speaksOf(rule, [source]);
  if (source === "" || !redirects.every(isHarmlessRedirect) || !speaksOf(rule, [source])) return false;
  return !exceedsStars(rule.pattern, words);
}

/** Parts that need no rule: those that run nothing, and `cd` to a directory inside the project. */
function unruledVerdict({ command, target }: PlacedCommand, permission: Permission): Verdict | undefined {
  const { words, redirects } = command;
  if (!redirects.every(isHarmlessRedirect)) return undefined;
  return words.length === 0 || isInsideProject(target, permission) ? "allow" : undefined;
}

/** Replaces everything that could separate commands, words or a program from its directory with one blank. */
function plainText(text: string): string {
  return text.replace(/[\s;&|`(){}<>"'$/\\]+/g, " ");
}

/** Returns the verdict on a text that may run anything. */
function textVerdict(command: string, rules: readonly CommandRule[], { isHeld = false }: CommandScope): CommandVerdict {
  const pieces = possibleCommands(command);
  const isStrict = rules.some((rule) => {
    return rule.verdict !== "allow" && !rule.isBlanket && (!isHeld || isSpelledIn(rule, command));
  });
  const rule = rules.find((one) => {
    if (one.isBlanket) return true;
    if (one.verdict === "allow") return one.isLiteral && speaksOf(one, [trimBlanks(command)]);
    return speaksOf(one, pieces);
  });
  if (isStrict && (rule === undefined || (rule.verdict === "allow" && rule.isBlanket))) return "unclear";
  return rule?.verdict;
}

/** Keywords and assignments that may precede a command. */
const beforeCommand = /^(?:(?:if|then|else|elif|while|until|do|time|!|\w+=\S*)\s+)+/;

/** Returns every piece that a shell might read as a command, up to the limit. */
function possibleCommands(command: string): readonly string[] {
  const unquoted = command.replace(/["'\\]/g, "");
  const pieces = [command.split(/[;&|\n`(){}<>"']/, maxPieces), unquoted.split(/[;&|\n`(){}<>]/, maxPieces)];
  const all = [command, ...pieces.flat()].map(trimBlanks);
  return [...new Set([...all, ...all.map((piece) => piece.replace(beforeCommand, ""))])].filter(
    (piece) => piece !== "",
  );
}
