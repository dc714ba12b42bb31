import type { ShellWord } from "../shell/read-shell.ts";
import type { CommandSpec, GivenArguments } from "./command-spec.ts";
import { gitSpecs } from "./git-specs.ts";
import { sortArguments } from "./sort-arguments.ts";

/** A git command without the options before it. */
export interface GitCommand {
  /** The `-C DIR` options before it. */
  readonly directories: readonly ShellWord[];
  readonly name: string;
  readonly given: GivenArguments;
}

/** Sorts the words after `git`; returns a text that says why they may not be read-only. */
export function sortGitArguments(words: readonly ShellWord[]): GitCommand | string {
  const directories: ShellWord[] = [];
  let index = 0;
  for (; words[index]?.text.startsWith("-"); index++) {
    const option = words[index]?.text;
    if (option === "-C") directories.push(...words.slice(++index, index + 1));
    else if (option !== "--no-pager" && option !== "--no-optional-locks" && option !== "-P") break;
  }
  const name = words[index];
  if (name?.text === "--version")
    return { directories: [], name: "version", given: { options: [], operands: [], paths: [], programs: [] } };
  const spec = name && !name.isPattern && Object.hasOwn(gitSpecs, name.text) ? gitSpecs[name.text] : undefined;
  if (!name || !spec) return `git ${name?.text ?? ""} is not known to be read-only`;
  const rest = words.slice(index + 1);
  const given = sortArguments(spec, rest);
  if (typeof given === "string") return given;
  // After a leading option, `list` is not a stash command, and a pattern may expand to any command.
  if (name.text === "stash" && rest[0]?.text.startsWith("-")) return "it changes the stash";
  if (name.text === "reflog" && given.operands[0]?.isPattern) return "it may change the log";
  const reaching = rest.find((word) => mayReachFurther(word, spec));
  if (reaching) return `${reaching.text} may reach other files or programs`;
  if (rest.some(checksSignatures)) return "it may run a program that checks signatures";
  const problem = spec.check?.(given);
  return problem ?? { directories, name: name.text, given };
}

/** Whether a word may be a format or a sort key for which git runs gpg. A sign may follow the `%`. */
function checksSignatures({ text, isPattern }: ShellWord): boolean {
  return /%[-+ ]?G|\bsignature\b/.test(text) || (isPattern && /^--(?:format|pretty|sort|group)\b/.test(text));
}

/** Options of git that write files, read any file, or run programs. */
const reachingOptions = (
  "output contents ext-diff textconv no-index open-files-in-pager show-signature filters ignore-revs-file pathspec-from-file " +
  "exclude-from"
).split(" ");

/**
 * Whether a word would reach further than the repository if git read it as an option, also an abbreviated one. It counts wherever it
 * stands, since versions of git differ in which options take the next word as a value.
 */
function mayReachFurther({ text }: ShellWord, { long = "" }: CommandSpec): boolean {
  const [, name] = /^--([^=]+)/.exec(text) ?? [];
  if (name === undefined) return false;
  const isListed = long.split(" ").some((entry) => entry === name || entry.startsWith(`${name}=`));
  return !isListed && reachingOptions.some((option) => option.startsWith(name) || name.startsWith(option));
}
