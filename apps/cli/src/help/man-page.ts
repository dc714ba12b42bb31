import { commands } from "../args/commands.ts";
import { mainOptions, synopsis } from "../args/main-options.ts";
import { type CommandSyntax, type Options, usageOf } from "../args/option.ts";
import { details } from "./details.ts";
import { optionRows } from "./explain-command.ts";
import { bold, literal, paragraph, roffText, section, subsection, term } from "./roff.ts";
import { type Block, blocksOf } from "./text-blocks.ts";
import { summaryOf, topics } from "./topics.ts";

/** Topics that manuals have their own names for; they stand at the end. */
const customary: Readonly<Record<string, string>> = {
  "exit-codes": "EXIT STATUS",
  environment: "ENVIRONMENT",
  files: "FILES",
};

/** The manual page `ikigai(1)`, in the macros of man(7). */
export function manPage(version: string): string {
  const names = Object.keys(topics);
  return [
    `.TH IKIGAI 1 "" "ikigai ${version}" "User Commands"\n`,
    section("NAME"),
    roffText("ikigai - a terminal coding agent whose every tool is an external executable"),
    section("SYNOPSIS"),
    ...synopsis.map(([line]) => paragraph(line.replace("…", "..."))),
    section("DESCRIPTION"),
    paragraph(
      "Without a command ikigai opens a conversation, in which the prompt is said first; one that begins like a command stands behind --. With -p it does one task and prints the answer; what is piped in is added to the prompt.",
    ),
    section("COMMANDS"),
    ...Object.values<CommandSyntax>(commands).map(commandText),
    section("OPTIONS"),
    optionText(mainOptions),
    ...names.filter((name) => !Object.hasOwn(customary, name)).map((name) => topicText(name, name.toUpperCase())),
    ...names.flatMap((name) => (customary[name] ? [topicText(name, customary[name])] : [])),
  ]
    .join("")
    .replace(/(\.S[HS] .*\n)\.PP\n(?!\.nf)/g, "$1");
}

function commandText(syntax: CommandSyntax): string {
  const { name, summary, options } = syntax;
  const more = blocksOf(details[name as keyof typeof details] ?? "").map(blockText);
  return [
    subsection(name),
    paragraph(usageOf(syntax)),
    paragraph(`${sentence(summary)}`),
    ...more,
    optionText(options),
  ].join("");
}

function optionText(options: Options): string {
  return optionRows(options)
    .map(([what, meaning]) => term(bold(what), roffText(sentence(meaning))))
    .join("");
}

function topicText(name: string, title: string): string {
  const text = topics[name] ?? "";
  const blocks = blocksOf(text.slice(text.indexOf("\n")));
  return [section(title), paragraph(sentence(summaryOf(text))), ...blocks.map(blockText)].join("");
}

function blockText(block: Block): string {
  switch (block.kind) {
    case "paragraph":
      return paragraph(block.text);
    case "literal":
      return literal(block.lines);
    case "table":
      return block.rows.map(([what, meaning]) => term(bold(what), roffText(meaning))).join("");
    default:
      return block satisfies never;
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?]$/.test(text) ? "" : "."}`;
}
