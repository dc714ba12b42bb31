// The manual page, from the texts of `ikigai help`. The build writes it.

import { type CommandName, commands } from "../args/commands.ts";
import { mainOptions, synopsis } from "../args/option.ts";
import { columns } from "./columns.ts";
import { explainCommand, optionRows } from "./explain-command.ts";
import { issueTracker, withDocsInPackage } from "./links.ts";
import { topics } from "./topics.ts";

/** Topics with another section name in manuals. The last three sections appear in this order. */
const titles: Readonly<Record<string, string>> = {
  commands: "SLASH COMMANDS",
  "exit-codes": "EXIT STATUS",
  environment: "ENVIRONMENT",
  files: "FILES",
};
const last = ["exit-codes", "environment", "files"];

const bugs = `Report problems at ${issueTracker},
with the output of ikigai doctor. Report vulnerabilities as SECURITY.md says.
`;

/**
 * The manual page `ikigai(1)`, in the macros of man(7): the texts of `ikigai help`, line by line, so that their tables and examples
 * stay as they are.
 */
export function manPage(version: string): string {
  const names = [...Object.keys(topics).filter((name) => !last.includes(name)), ...last];
  return [
    `.TH IKIGAI 1 "" "ikigai ${version}" "User Commands"\n`,
    `.SH "NAME"\n${escaped("ikigai - a terminal coding agent whose every tool is an external executable")}\n`,
    section("SH", "SYNOPSIS", columns(synopsis)),
    section("SH", "OPTIONS", columns(optionRows(mainOptions))),
    '.SH "COMMANDS"\n',
    ...Object.keys(commands).map((name) => section("SS", name, explainCommand(name as CommandName))),
    ...names.map((name) => section("SH", titles[name] ?? name.toUpperCase(), withDocsInPackage(topics[name] ?? ""))),
    section("SH", "BUGS", bugs),
    section("SH", "SEE ALSO", "bash(1), bwrap(1), git(1), jq(1), npm(1)\n"),
  ].join("");
}

/** A titled text whose lines are not filled. They have up to 79 columns, so they are not indented. */
function section(macro: "SH" | "SS", title: string, text: string): string {
  const lines = text.trimEnd().split("\n");
  return `.${macro} "${escaped(title)}"\n.nf\n.in 0\n${lines.map((line) => (line === "" ? ".sp" : escaped(line))).join("\n")}\n.fi\n`;
}

/** Escapes text for roff, so that nothing in it is a request, an escape or a character that a terminal might lack. */
export function escaped(text: string): string {
  const plain = text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("'", "\\(aq").replaceAll("…", "...");
  const code = (character: string) => `\\[u${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}]`;
  return plain.replace(/[^\x20-\x7e]/gu, code).replace(/^\./, "\\&.");
}
