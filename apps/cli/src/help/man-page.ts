import { commands } from "../args/commands.ts";
import { mainOptions, synopsis } from "../args/main-options.ts";
import { type CommandSyntax, type Options, usageOf } from "../args/option.ts";
import { withDocsInPackage } from "./docs-path.ts";
import { details, optionRows } from "./explain-command.ts";
import { issueTracker } from "./issue-tracker.ts";
import { manExamples } from "./man-examples.ts";
import { summaryOf, topics } from "./topics.ts";

/** Topics with a customary section name in manuals; they come last, in this order. */
const customary: Readonly<Record<string, string>> = {
  "exit-codes": "EXIT STATUS",
  environment: "ENVIRONMENT",
  files: "FILES",
};

/** Topics with another name in the manual: COMMANDS are those of the command line. */
const renamed: Readonly<Record<string, string>> = { commands: "SLASH COMMANDS" };

const bugsText = `Reports are welcome at ${issueTracker}; add the output of ikigai doctor. Vulnerabilities are reported as SECURITY.md says.`;

/** What ikigai starts or is started by. */
const seeAlso = "bash(1), bwrap(1), git(1), jq(1), npm(1)";

/** The manual page `ikigai(1)`, in the macros of man(7). */
export function manPage(version: string): string {
  const names = Object.keys(topics);
  return [
    `.TH IKIGAI 1 "" "ikigai ${version}" "User Commands"\n`,
    section("NAME"),
    roffText("ikigai - a terminal coding agent whose every tool is an external executable"),
    section("SYNOPSIS"),
    ...synopsis.map(([line]) => paragraph(line)),
    section("DESCRIPTION"),
    paragraph(
      "Without a command, ikigai starts a conversation, optionally with a prompt; put -- before a prompt that begins like a command. With -p it does one task and prints the answer; piped input is added to the prompt.",
    ),
    section("COMMANDS"),
    ...Object.values<CommandSyntax>(commands).map(commandText),
    section("OPTIONS"),
    optionText(mainOptions),
    ...names
      .filter((name) => !Object.hasOwn(customary, name))
      .map((name) => topicText(name, renamed[name] ?? name.toUpperCase())),
    ...Object.entries(customary).map(([name, title]) => topicText(name, title)),
    section("EXAMPLES"),
    ...manExamples.map(([line, meaning]) => term(bold(line), roffText(sentence(meaning)))),
    section("BUGS"),
    paragraph(bugsText),
    section("SEE ALSO"),
    paragraph(seeAlso),
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
  const text = withDocsInPackage(topics[name] ?? "");
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

/** A part of a topic, between empty lines. */
type Block =
  | { readonly kind: "paragraph"; readonly text: string }
  /** Two columns. */
  | { readonly kind: "table"; readonly rows: readonly (readonly [what: string, meaning: string])[] }
  /** Examples, and tables with more columns. */
  | { readonly kind: "literal"; readonly lines: readonly string[] };

/** Least indentation of an explanation's second line, in columns. */
const continued = 8;

/** Splits a topic into blocks: indented lines are a table, or literal. */
export function blocksOf(text: string): Block[] {
  const groups: string[][] = [];
  let isIndented: boolean | undefined;
  for (const line of text.split("\n")) {
    if (line === "") {
      isIndented = undefined;
      continue;
    }
    if (line.startsWith("  ") !== isIndented) groups.push([]);
    isIndented = line.startsWith("  ");
    groups.at(-1)?.push(line);
  }
  return groups.map(blockOf);
}

function blockOf(lines: readonly string[]): Block {
  if (!lines[0]?.startsWith("  ")) return { kind: "paragraph", text: lines.join(" ") };
  const rows = rowsOf(lines);
  return rows ? { kind: "table", rows } : { kind: "literal", lines: lines.map((line) => line.slice(2)) };
}

/** The rows, if all lines belong to a table of two columns. */
function rowsOf(lines: readonly string[]): [string, string][] | undefined {
  const rows: [string, string][] = [];
  for (const line of lines) {
    const [what = "", meaning, ...more] = line.trim().split(/ {2,}/);
    const last = rows.at(-1);
    if (more.length > 0) return undefined;
    if (last && meaning === undefined && line.startsWith(" ".repeat(continued))) last[1] = `${last[1]} ${what}`.trim();
    else if (line.startsWith("   ")) return undefined;
    else rows.push([what, meaning ?? ""]);
  }
  return rows.every(([, meaning]) => meaning !== "") ? rows : undefined;
}

/** Escapes text for roff, so that nothing in it is a request, an escape or a character that a terminal might lack. */
function escaped(text: string): string {
  return (
    text
      .replaceAll("\\", "\\e")
      .replaceAll("-", "\\-")
      // Which ASCII has no character for: groff leaves it out in the C locale, and what it stands for with it.
      .replaceAll("…", "...")
      .replace(
        /[^\x20-\x7e]/gu,
        (character) => `\\[u${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}]`,
      )
      .replace(/^([.'])/, "\\&$1")
  );
}

/** A line of text. */
export function roffText(text: string): string {
  return `${escaped(text)}\n`;
}

function bold(text: string): string {
  return `.B "${escaped(text).replaceAll('"', "\\(dq")}"\n`;
}

function section(title: string): string {
  return `.SH ${quoted(title)}\n`;
}

function subsection(title: string): string {
  return `.SS ${quoted(title)}\n`;
}

function paragraph(text: string): string {
  return `.PP\n${roffText(text)}`;
}

/** A tagged paragraph: a term and its explanation. */
function term(tag: string, meaning: string): string {
  return `.TP\n${tag}${meaning}`;
}

/** Lines that stay as they are. */
function literal(lines: readonly string[]): string {
  return `.PP\n.nf\n${lines.map((line) => (line === "" ? ".sp\n" : roffText(line))).join("")}.fi\n`;
}

function quoted(title: string): string {
  return `"${escaped(title).replaceAll('"', "\\(dq")}"`;
}
