import { commandGroup, findCommand, firstWords, isCommandGroup, namesInGroup } from "../args/commands.ts";
import { findOtherWord } from "../args/other-words.ts";
import { UsageError } from "../args/usage-error.ts";
import { sanitiseLine } from "../render/sanitise.ts";
import { columns } from "./columns.ts";
import { explainCommand, explainGroup } from "./explain-command.ts";
import { otherWordAnswers } from "./other-word-answers.ts";
import { summaryOf, topics } from "./topics.ts";

/**
 * What `ikigai help` prints about a topic, a command, or a command of other agents; without words, the list of topics.
 *
 * @throws UsageError if no topic or command has this name.
 */
export function helpOn(words: readonly string[]): string {
  const [first = ""] = words;
  if (words.length === 0 || (first === "topics" && words.length === 1)) return listTopics();
  const topic = Object.hasOwn(topics, first) && words.length === 1 ? topics[first] : undefined;
  // "help add" finds "tool add" too.
  const command = findCommand(words) ?? findCommand([commandGroup, ...words]);
  const isCommand = command?.args.length === 0;
  const found = [
    ...(isCommand ? [explainCommand(command.name)] : []),
    ...(isCommandGroup(first) && words.length === 1 ? [explainGroup(first)] : []),
    ...(topic === undefined ? [] : [topic]),
  ];
  if (found.length > 0) return found.join("\n");
  const otherWord = findOtherWord(words);
  if (otherWord !== undefined) return `${otherWordAnswers[otherWord]}\n`;
  const [last = ""] = words.slice(-1);
  throw new UsageError(unknown(words), {
    got: last,
    known: isCommandGroup(first) ? namesInGroup(first) : [...firstWords, ...Object.keys(topics)],
  });
}

/** The same for a conversation, which a wrong word does not end. */
export function helpOrProblem(words: readonly string[]): string {
  try {
    return helpOn(words);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return `${sanitiseLine(error.message)}\n`;
  }
}

function listTopics(): string {
  const rows = Object.entries(topics).map(([name, text]) => [name, summaryOf(text)] as const);
  return `Usage: ikigai help TOPIC, or ikigai help COMMAND\n\n${columns(rows)}\nCommands and options: ikigai --help. Keys and commands of a conversation: /help.\n`;
}

function unknown([first = "", ...rest]: readonly string[]): string {
  if (isCommandGroup(first))
    return `Unknown command "ikigai ${first} ${rest.join(" ")}". Known: ${namesInGroup(first).join(", ")}.`;
  const got = JSON.stringify([first, ...rest].join(" "));
  return `No command or topic ${got}. Topics: ${Object.keys(topics).join(", ")}.`;
}
