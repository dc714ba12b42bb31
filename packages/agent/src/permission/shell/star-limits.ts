import { findRefused } from "../read-only/find-command.ts";
import { gitRefused } from "../read-only/git-specs.ts";
import { readingCommands } from "../read-only/reading-commands.ts";
import { takesValue } from "../read-only/sort-arguments.ts";
import { mayBeParent } from "../read-only/stays-inside.ts";
import type { ShellWord } from "./read-word.ts";
import { programName } from "./runs-arguments.ts";

/*
 * What no star of an allow rule covers: a `..`, an option with which the program runs or writes what the option says, and a script
 * that does so. A rule covers them if it names them: `bash(find . -exec wc *)`.
 */

/** What an option that is left out of the read-only ones does, if a star must not cover it either. */
const isHarm = /^(?:may )?(?:runs?|writes?|removes|changes|loads|sets|reads its)\b/;

/** Options that run what they name, whatever the program. */
const runners = ["--exec", "--eval", "--upload-pack", "--receive-pack", "-exec", "-execdir", "-toolexec"];

/** More of them, by program, or by command of git. */
const runnersOf: Readonly<Record<string, readonly string[]>> = {
  cargo: ["--config"],
  fd: ["-x", "-X", "--exec-batch"],
  go: ["-vettool"],
  make: ["-E"],
  tar: ["-I", "-F", "--to-command", "--checkpoint-action", "--use-compress-program", "--rsh-command", "--info-script"],
  "git clone": ["-c", "--config", "-u"],
  "git rebase": ["-x"],
};

/** Whether a command has something that is in none of a rule's words, and that a star does not cover. */
export function exceedsStars(pattern: string, words: readonly ShellWord[]): boolean {
  const named = pattern.split(/\s+/).map((text) => ({ text, isPattern: false }));
  if (countParents(words) > countParents(named)) return true;
  const [first, ...rest] = words;
  if (first === undefined) return false;
  const program = programName(first);
  // It may expand to any option.
  if (rest.some(({ text, isPattern }) => isPattern && text.startsWith("-") && !pattern.includes(text))) return true;
  const known = new Set(harmfulOptions(program, named));
  if (harmfulOptions(program, rest).some((option) => !known.has(option))) return true;
  return scriptsOf(program, rest).some(({ text }) => !isReadingScript(program, text) && !pattern.includes(text));
}

/** How many segments of paths are, or may become, `..`. */
function countParents(words: readonly Pick<ShellWord, "text" | "isPattern">[]): number {
  const isParent = (segment: string, isPattern: boolean) =>
    segment === ".." || (isPattern && mayBeParent.test(segment));
  return words.reduce((sum, { text, isPattern }) => {
    const segments = text.replace(/^-\w(?=\.\.)/, "").split(/[/=:,"]/);
    return sum + segments.filter((segment) => isParent(segment, isPattern)).length;
  }, 0);
}

/** Whether the strings in a call's arguments have more `..` than a rule's pattern. Texts with blanks are no paths. */
export function hasMoreParents(pattern: string, value: unknown): boolean {
  const texts: string[] = [];
  JSON.stringify(value, (_, one: unknown) => {
    if (typeof one === "string" && !/\s/.test(one)) texts.push(one);
    return one;
  });
  const asWords = (all: readonly string[]) => all.map((text) => ({ text, isPattern: false }));
  return countParents(asWords(texts)) > countParents(asWords([pattern]));
}

/** The names of the options among some words with which a program runs or writes what they say. */
function harmfulOptions(program: string, words: readonly Pick<ShellWord, "text">[]): string[] {
  const texts = words.map(({ text }) => text);
  const harmful = [...runners, ...refusedOf(program, texts), ...runnersFor(program, texts)];
  return texts.flatMap((text) => {
    const [name = text] = text.split("=", 1);
    if (!name.startsWith("-")) return [];
    // GNU programs and git take a long option's beginning for it.
    const meant = harmful.find(
      (one) => one === name || (one.startsWith("--") && name.length > 3 && one.startsWith(name)),
    );
    return meant === undefined ? bundled(program, name, harmful) : [meant];
  });
}

function runnersFor(program: string, texts: readonly string[]): readonly string[] {
  return [program === "fdfind" ? "fd" : program, ...texts.map((text) => `${program} ${text}`)].flatMap((name) =>
    Object.hasOwn(runnersOf, name) ? (runnersOf[name] ?? []) : [],
  );
}

function refusedOf(program: string, texts: readonly string[]): string[] {
  if (program === "git") {
    return Object.entries(gitRefused).flatMap(([phrase, what]) => {
      const [command = "", ...others] = phrase.split(" ");
      const option = others.findLast((one) => one.startsWith("-"))?.split("=", 1)[0];
      // Short options mean something else in other commands.
      const isMeant = option?.startsWith("--") || texts.includes(command);
      return option !== undefined && isMeant && isHarm.test(what) ? [option] : [];
    });
  }
  const refused =
    program === "find" ? findRefused : Object.hasOwn(readingCommands, program) && readingCommands[program]?.refused;
  return Object.entries(refused || {}).flatMap(([option, what]) => (isHarm.test(what) ? [option] : []));
}

/** The short options in one word, up to one whose value is the rest of it. */
function bundled(program: string, name: string, harmful: readonly string[]): string[] {
  if (name.startsWith("--")) return [];
  const found: string[] = [];
  for (const letter of name.slice(1)) {
    if (harmful.includes(`-${letter}`)) found.push(`-${letter}`);
    if (
      Object.hasOwn(readingCommands, program) &&
      takesValue(readingCommands[program] ?? { operands: "texts" }, letter)
    )
      break;
  }
  return found;
}

/** The scripts of a program that has its own language. */
function scriptsOf(program: string, words: readonly ShellWord[]): ShellWord[] {
  const spec = Object.hasOwn(readingCommands, program) ? readingCommands[program] : undefined;
  if (spec?.operands !== "program") return [];
  const scripts: ShellWord[] = [];
  let first: ShellWord | undefined;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as ShellWord;
    const { text } = word;
    const [, name = "", attached] = /^(-[^-]|--[^=]+)=?(.*)$/s.exec(text) ?? [];
    if (!text.startsWith("-") || text === "-" || text === "--") first ??= word;
    else if (spec.patternOptions?.includes(name)) {
      const script = attached ? { ...word, text: attached } : words[++index];
      if (script) scripts.push(script);
    } else if (/^-[^-]$/.test(text) && takesValue(spec, text.charAt(1))) index++;
  }
  return scripts.length > 0 || first === undefined ? scripts : [first];
}

function isReadingScript(program: string, text: string): boolean {
  const script = { text, isPattern: false, isTilde: false, isQuoted: true };
  const given = { options: [], operands: [], paths: [], programs: [script] };
  return readingCommands[program]?.check?.(given) === undefined;
}
