// `ikigai help WORDS` and /help: finds the topic, the command or the slash command that the words mean.

import { sanitiseLine } from "@ikigai/screen";
import { nearestWord } from "@ikigai/system";
import { commandGroup, findCommand, firstWords, isCommandGroup, namesInGroup } from "../args/commands.ts";
import { UsageError } from "../args/usage-error.ts";
import { columns, type Row } from "./columns.ts";
import { explainCommand, explainGroup } from "./explain-command.ts";
import { withDocsPath } from "./links.ts";
import { otherAnswer } from "./other-agents.ts";
import { isSlashCommandName, slashCommandForm, slashCommandTable } from "./slash-command-table.ts";
import { summaryOf, topics } from "./topics.ts";

/**
 * What `ikigai help` prints about a topic, a command, or a command of other agents; without words, the list of topics.
 *
 * @throws UsageError if no topic or command has this name.
 */
export function helpOn(given: readonly string[]): string {
  const words = withKnownNumber(given);
  const [first = ""] = words;
  if (words.length === 0 || (first === "topics" && words.length === 1)) return listTopics();
  const topic = Object.hasOwn(topics, first) && words.length === 1 ? topics[first] : undefined;
  // "help add" finds "tool add" too.
  const command = findCommand(words) ?? findCommand([commandGroup, ...words]);
  const isCommand = command?.args.length === 0;
  const found = [
    ...(isCommand ? [explainCommand(command.name)] : []),
    ...(isCommandGroup(first) && words.length === 1 ? [explainGroup(first)] : []),
    ...(topic === undefined ? [] : [withDocsPath(topic)]),
  ];
  if (found.length > 0) return found.join("\n");
  const slashCommand = words.length === 1 ? helpOnSlashCommand(first) : undefined;
  if (slashCommand !== undefined) return first === "version" ? `${versionHelp}\n${slashCommand}` : slashCommand;
  const other = otherAnswer(words.join(" "));
  if (other !== undefined) return `${other}\n`;
  const [last = ""] = words.slice(-1);
  throw new UsageError(unknown(words), {
    got: last,
    known: isCommandGroup(first) ? namesInGroup(first) : [...firstWords, ...Object.keys(topics)],
  });
}

/** A command that only the command line knows: it is the option. */
const versionHelp = "Usage: ikigai version\n\nPrint the version, like ikigai --version.\n";

/** Whether words name a topic or a command of ikigai, and not a word or an alias of other agents. */
export function isTopic(words: readonly string[]): boolean {
  const [first = ""] = withKnownNumber(words);
  return (
    Object.hasOwn(topics, first) || findCommand(words) !== undefined || isSlashCommandName(first.replace(/^\//, ""))
  );
}

/** The line of a command of a conversation, by its name or one of its aliases, with or without the slash. */
function helpOnSlashCommand(word: string): string | undefined {
  const name = word.replace(/^\//, "");
  const found = Object.entries(slashCommandTable).find(([known, { aliases }]) =>
    [known, ...(aliases ?? [])].includes(name),
  );
  return (
    found &&
    `${columns([[slashCommandForm(found), found[1].summary]])}\nA command of a conversation. All of them: /help\n`
  );
}

/** The words with the first one in the number that a topic or command has: `model` is `models`. */
function withKnownNumber([first = "", ...rest]: readonly string[]): readonly string[] {
  const isKnown = (word: string) =>
    Object.hasOwn(topics, word) || firstWords.includes(word) || otherAnswer(word) !== undefined;
  if (["", "topics"].includes(first) || isKnown(first)) return [first, ...rest].filter((word) => word !== "");
  return [[`${first}s`, first.replace(/s$/, "")].find(isKnown) ?? first, ...rest];
}

/** The same for a conversation, which a wrong word does not end. */
export function helpOrProblem(words: readonly string[]): string {
  try {
    return helpOn(words);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { got = "", known = [] } = error.unknown ?? {};
    const nearest = nearestWord(got, known);
    return `${sanitiseLine(error.message)}${nearest === undefined ? "" : ` Did you mean ${nearest}?`}\n`;
  }
}

/** The topics, each with its summary. */
export function topicRows(): Row[] {
  return Object.entries(topics).map(([name, text]) => [name, summaryOf(text)] as const);
}

/** What the last line of the full screen shows, from left to right. */
export const footerParts: readonly Row[] = [
  ["mode", "what runs without asking: shift-tab, /permissions"],
  ["directory, branch", "the working directory, and git's branch there"],
  ["jobs, agents, services", "how many run in the background: /jobs, /agents"],
  ["context", "how full the model's context window is: /context, /compact"],
  ["$", "what the session has cost so far, if the price is known: /status"],
  ["model", "the model, and how much it thinks if you set it: /model, /thinking"],
];

function listTopics(): string {
  return `Usage: ikigai help TOPIC, or ikigai help COMMAND\n\n${columns(topicRows())}\nCommands and options: ikigai --help. Keys and commands of a conversation: /help.\n`;
}

function unknown([first = "", ...rest]: readonly string[]): string {
  if (isCommandGroup(first))
    return `Unknown command "ikigai ${first} ${rest.join(" ")}". Known: ${namesInGroup(first).join(", ")}.`;
  const got = JSON.stringify([first, ...rest].join(" "));
  return `No command or topic ${got}. Topics: ${Object.keys(topics).join(", ")}.`;
}
