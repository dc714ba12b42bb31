import { foldName } from "./fold-name.ts";
import type { SimpleCommand } from "./shell/read-shell.ts";
import { programName, runsArguments } from "./shell/runs-arguments.ts";

/** The file with stored keys, programs that print the keyring, its service on the bus, and commands of macOS's `security`. */
const keyWord =
  /(?:^|[/=:,@])(?:credentials\.json|secret-tool|kwallet-query)$|org\.freedesktop\.secret|(?:generic|internet)-password$|dump-keychain$/;

/** The start of a command that runs macOS's `security`, in a text that cannot be parsed. */
const startsSecurity =
  /(?:^|[\n;&|(`!{]|\b(?:do|then|else|env|xargs|exec|command|sudo|time))[ \t]*(?:[\w./-]*\/)?["'\\]*security["']*[ \t]/;

/** Whether one of these folded words names a place where API keys are stored. */
export function mentionsKeys(words: readonly string[]): boolean {
  return words.some((word) => keyWord.test(word));
}

/** Whether a command runs macOS's `security`, which prints the keyring. */
export function runsKeyring({ words }: SimpleCommand): boolean {
  const candidates = runsArguments(words) ? words : words.slice(0, 1);
  return candidates.some((word) => foldName(programName(word)) === "security");
}

/** Whether a folded text that cannot be parsed runs macOS's `security`. */
export function startsKeyring(folded: string): boolean {
  return startsSecurity.test(folded);
}
