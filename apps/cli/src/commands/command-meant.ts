import { providerNames } from "@ikigai/agent/internal";
import { nearestWord } from "@ikigai/system";
import { commandGroup, commandGroups, isCommandGroup } from "../args/command-groups.ts";
import { commands, findCommand, firstWords, namesInGroup, toolCommandNames } from "../args/commands.ts";
import type { CommandSyntax, Operand, Options } from "../args/option.ts";
import { otherWords } from "../args/other-words.ts";
import { UsageError } from "../args/usage-error.ts";
import { otherWordAnswers } from "../help/other-word-answers.ts";
import { topics } from "../help/topics.ts";

/** Largest share of a command's letters that may differ: "hello" is not "help". */
const maxDifference = 0.25;

/**
 * The command line that these words misspell, if any. A real message rarely is one word that is nearly a command, or two that
 * are nearly a command and its operand.
 */
export function commandMeant([word = "", ...rest]: readonly string[]): string | undefined {
  // A command of a conversation, which begins with it.
  if (word.startsWith("/")) return undefined;
  if (rest.length === 0 && toolCommandNames.includes(word)) return `${commandGroup} ${word}`;
  const group = near(word, Object.keys(commandGroups));
  if (isCommandGroup(group) && namesInGroup(group).includes(rest[0] ?? "")) return fitting([group, ...rest]);
  const meant = near(word, firstWords) ?? near(word, Object.keys(otherWords));
  if (meant === undefined || rest.length === 0) return meant;
  return rest.length === 1 && !isCommandGroup(meant) ? fitting([meant, ...rest]) : undefined;
}

/**
 * Refuses a message that is probably a mistyped command, or one after its options.
 *
 * @param options those before it, as typed.
 * @throws UsageError with the command.
 */
export function refuseCommand(words: readonly string[], options: readonly string[]): void {
  const message = words.join(" ").trim();
  const meant = commandMeant(words);
  if (meant === undefined) return;
  const advice =
    meant === message
      ? misplacedOptions(words, options)
      : `No command ${JSON.stringify(message)}. ${otherAnswer(meant) ?? `Did you mean ${meant}?`}`;
  throw new UsageError(`${advice} To send it to the model: ikigai -- ${message}`);
}

/** What to do instead of a command of other agents. */
function otherAnswer(word: string): string | undefined {
  const answers: Readonly<Record<string, string>> = otherWordAnswers;
  return Object.hasOwn(answers, word) ? `${answers[word]}.` : undefined;
}

/** Says where the options of a command go, or that it lacks them: these are before it. */
function misplacedOptions(words: readonly string[], given: readonly string[]): string {
  const found = findCommand(words);
  const name = found?.name ?? words.join(" ");
  const known: Options = found ? commands[found.name].options : {};
  const lacking = given.filter((option) => !Object.hasOwn(known, option.replace(/^-+|=.*$/g, "")));
  if (lacking.length > 0) return `ikigai ${name} has no ${lacking.join(", ")}. See: ikigai ${name} --help.`;
  return `Options come after the command: ikigai ${words.join(" ")} ${given.join(" ")}.`;
}

function near(word: string, known: readonly string[]): string | undefined {
  const nearest = (text: string) => nearestWord(text, known, maxDifference);
  return nearest(word) ?? nearest(word.replace(/s$/, ""));
}

/** The words, if they are a command and operands that it may have. */
function fitting(words: readonly string[]): string | undefined {
  const found = findCommand(words);
  if (!found) return undefined;
  const { operands }: CommandSyntax = commands[found.name];
  const isFit = found.args.every((word, index) => {
    const operand = operands[index] ?? operands.findLast(({ isRepeated }) => isRepeated);
    return operand !== undefined && mayBe(word, operand);
  });
  return isFit ? words.join(" ") : undefined;
}

/** Whether a word may be an operand and is unlikely to be the second word of a message. */
function mayBe(word: string, { oneOf, completes }: Operand): boolean {
  if (oneOf) return oneOf.includes(word);
  switch (completes) {
    case "model-provider":
    case "provider":
      return word === "ollama" || word === "offline" || providerNames.some((name) => name === word);
    case "topic":
      return Object.hasOwn(topics, word) || firstWords.includes(word);
    case "directory":
      return /[/~]|^\.+$/.test(word);
    case "call":
      return /\d/.test(word);
    default:
      return true;
  }
}
