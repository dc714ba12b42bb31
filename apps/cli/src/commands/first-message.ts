import { nearestWord } from "@ikigai/system";
import { commandGroup, firstWords, toolCommandNames } from "../args/commands.ts";
import type { Invocation } from "../args/parse-argv.ts";
import { UsageError } from "../args/usage-error.ts";

/** How much a command's name may be mistyped: one letter of four. "hello" is no "help". */
const maxDifference = 0.25;

/**
 * What the command line says to the model.
 *
 * @throws UsageError when it is most likely a mistyped command.
 */
export function firstMessage({ words, isMessage }: Extract<Invocation, { kind: "repl" }>): string {
  const message = words.join(" ").trim();
  const meant = isMessage ? undefined : commandMeant(words);
  if (meant === undefined) return message;
  throw new UsageError(
    `Expected a command (${firstWords.join(", ")}) or a message, got ${JSON.stringify(message)}. To say that to the model: ikigai -- ${message}. Did you mean ${meant}?`,
  );
}

/** A message has a word that is nearly a command only by chance at its beginning, and seldom no other. */
function commandMeant([word = "", ...rest]: readonly string[]): string | undefined {
  if (rest.length === 0 && toolCommandNames.includes(word)) return `${commandGroup} ${word}`;
  const near = (text: string) => nearestWord(text, firstWords, maxDifference);
  const meant = near(word) ?? near(word.replace(/s$/, ""));
  const isGroup = meant === commandGroup && toolCommandNames.includes(rest[0] ?? "");
  return rest.length === 0 || isGroup ? meant : undefined;
}
