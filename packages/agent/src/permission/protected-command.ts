import { foldName } from "./fold-name.ts";
import { isIkigai, namesIkigai, runsIkigai, tokensOf } from "./ikigai-command.ts";
import { mentionsKeys, runsKeyring, startsKeyring } from "./key-command.ts";
import { mayExpandToProtected, mayMatchProtected, mentionsProtected } from "./protected-path.ts";
import { maxCommandLength, readShell, type SimpleCommand } from "./shell/read-shell.ts";
import { runsArguments } from "./shell/runs-arguments.ts";

const namesPlace = "it names a protected directory: files there determine what runs";
const changesTrust = "it changes which tools ikigai trusts";
const changesSetup = "it changes how ikigai is set up";
const runsItself = "it may run ikigai in a way that cannot be checked";
const readsKeys = "it names a place where API keys are stored";

const isTooLong = "it is too long to check";

/** Longest arguments of other tools that are checked, in UTF-16 code units of JSON. */
export const maxArgumentsLength = 1_000_000;

/**
 * Returns why a command always needs a question; `undefined` if it does not. Words are compared as the program receives
 * them; `commands` is the result of `readShell`.
 */
export function protectedByCommand(
  command: string,
  commands: readonly SimpleCommand[] | undefined,
  home: string,
): string | undefined {
  if (command.length > maxCommandLength) return isTooLong;
  const asWritten = foldName(command);
  const texts = commands ? commands.map(textOf).map(foldName) : spellingsOf(asWritten);
  if ([asWritten, ...texts].some((text) => mentionsProtected(text, home))) return namesPlace;
  if (commands ? commands.some(mayNameProtected) : mayExpandToProtected(asWritten)) return namesPlace;
  const lists = (commands ? texts : [asWritten, ...texts]).map(tokensOf);
  if (lists.some(setsGitConfig)) return namesPlace;
  if (lists.some(mentionsKeys) || (commands ? commands.some(runsKeyring) : startsKeyring(asWritten))) return readsKeys;
  const change = changeOf(lists, commands === undefined);
  if (change !== undefined) return change;
  if (commands ? runsIkigai(commands) : lists.some(namesIkigai)) return runsItself;
  return commands && protectedInside(command, commands, home);
}

/** What quotes and escapes, and expansions that may be empty, could hide in a text that cannot be parsed. */
function spellingsOf(folded: string): string[] {
  const joined = folded.replaceAll("\\\n", "");
  const empty = /\$\{[^{}]*\}|\$\([^()]*\)|`[^`]*`|\$[@*#?!$\d-]|\$(?=["'])|["'\\]/g;
  return [joined.replace(/["'\\]/g, ""), joined.replace(empty, "")];
}

/** Checks the texts that a program such as `sh -c` may run as commands. */
function protectedInside(command: string, commands: readonly SimpleCommand[], home: string): string | undefined {
  for (const { words } of commands) {
    if (!runsArguments(words)) continue;
    for (const { text } of words) {
      if (text.length >= command.length || !/[\s;&|<>$`(){}]/.test(text)) continue;
      const reason = protectedByCommand(text, readShell(text), home);
      if (reason !== undefined) return reason;
    }
  }
  return undefined;
}

function changeOf(lists: readonly (readonly string[])[], isAnyOrder: boolean): string | undefined {
  if (lists.some((words) => changesTools(words, isAnyOrder))) return changesTrust;
  return lists.some((words) => changesSettings(words, isAnyOrder)) ? changesSetup : undefined;
}

/** Returns why a call of another tool always needs a question; `undefined` if it does not. */
export function protectedByArguments(json: string, home: string): string | undefined {
  if (json.length > maxArgumentsLength) return isTooLong;
  const folded = foldName(json);
  if (mentionsProtected(folded, home)) return namesPlace;
  const words = tokensOf(folded);
  if (setsGitConfig(words)) return namesPlace;
  if (mentionsKeys(words)) return readsKeys;
  return changeOf([words], false);
}

function textOf({ words, redirects }: SimpleCommand): string {
  return [...words, ...redirects.map(({ target }) => target)].map(({ text }) => text).join("\n");
}

function mayNameProtected({ words, redirects }: SimpleCommand): boolean {
  const all = [...words, ...redirects.map(({ target }) => target)];
  return all.some(({ isPattern, text }) => isPattern && mayMatchProtected(text));
}

const readingOptions = new Set(["--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"]);

/** Git options that take a value. */
const optionsWithValue = new Set(["-c", "--git-dir", "--work-tree", "--namespace", "--config-env"]);

/** Whether a command writes git's configuration, which is as sensitive as those files. Checks each word once. */
function setsGitConfig(words: readonly string[]): boolean {
  // Whether the word may be an option or a git command, and whether it may be an option's value.
  let isOperand = false;
  let isValue = false;
  return words.some((word, index) => {
    if (isOperand && word === "config" && !readingOptions.has(words[index + 1] ?? "")) return true;
    const isOption = isOperand && word.startsWith("-");
    isOperand = isValue || isOption || word === "git" || word.endsWith("/git");
    isValue = isOption && optionsWithValue.has(word);
    return false;
  });
}

/**
 * Whether a command makes ikigai trust a project, or adds, updates or removes a tool. In a text that cannot be parsed, or
 * where words come from elsewhere, their order is ignored.
 */
function changesTools(words: readonly string[], isAnyOrder: boolean): boolean {
  const start = words.findIndex(isIkigai);
  if (start < 0) return false;
  if (words.slice(0, start).some((word) => /^(?:.*\/)?(?:xargs|parallel)$/.test(word))) return true;
  const operands = isAnyOrder ? words.flatMap((word) => word.split("=")) : words.slice(start + 1);
  if (operands.includes("trust")) return true;
  const tool = operands.indexOf("tool");
  return tool >= 0 && operands.slice(isAnyOrder ? 0 : tool).some((word) => /^(?:add|update|remove)$/.test(word));
}

/** The commands that store a key or write the configuration; `config` only with one of the other words. */
const setupWords = new Set(["login", "logout", "setup"]);
const changingWords = new Set(["set", "unset", "edit"]);

/** Whether a command makes ikigai change its configuration or a stored key. */
function changesSettings(words: readonly string[], isAnyOrder: boolean): boolean {
  const start = words.findIndex(isIkigai);
  if (start < 0) return false;
  if (isAnyOrder)
    return words.flatMap((word) => word.split("=")).some((word) => setupWords.has(word) || changingWords.has(word));
  const [first = "", second = ""] = words.slice(start + 1).filter((word) => word !== "");
  return setupWords.has(first) || (first === "config" && changingWords.has(second));
}
