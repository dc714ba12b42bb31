// The subcommands about saved sessions: operands, options and help of each.

import type { CommandSyntax, Options } from "./option.ts";
import { json, yes } from "./tool-commands.ts";

const session = { name: "SESSION", completes: "session" } as const;

/** Which sessions are meant. */
const filters = {
  project: { value: "DIR", completes: "directory", summary: "only sessions of DIR and the directories below it" },
  since: { value: "TIME", summary: "only sessions used since then: 7d, 12h, 30m, 2w or a date, 2026-11-01" },
  tool: { value: "NAME", completes: "tool", summary: "only sessions with calls of this tool; search: only in them" },
  file: { value: "PATH", completes: "file", summary: "only sessions whose file tools changed this file" },
} as const satisfies Options;

const limit = { limit: { value: "N", summary: "show at most N sessions (default: 20)" } } as const satisfies Options;

/** In the order of the help. */
export const sessionCommands = {
  "sessions list": {
    name: "sessions list",
    summary: "list the sessions of all projects, the last used first",
    operands: [],
    options: { ...filters, archived: { summary: "list the archived sessions" }, ...limit, ...json },
  },
  "sessions search": {
    name: "sessions search",
    summary: "find words in messages, answers, calls and results",
    operands: [{ name: "WORDS", isRepeated: true }],
    options: { ...filters, ...limit, ...json },
  },
  "sessions archive": {
    name: "sessions archive",
    summary: "leave sessions out of the lists; search still finds them",
    operands: [{ ...session, isRepeated: true }],
    options: { restore: { summary: "put them back into the lists" } },
  },
  "sessions delete": {
    name: "sessions delete",
    summary: "delete sessions and their files; asks first",
    operands: [{ ...session, isRepeated: true }],
    options: yes,
  },
  "sessions export": {
    name: "sessions export",
    summary: "write a session as Markdown, or as HTML or JSON, to FILE or stdout",
    operands: [session, { name: "FILE", isOptional: true, completes: "file" }],
    options: {
      md: { summary: "as Markdown, the default unless FILE ends in .html or .json" },
      html: { summary: "as one page with folded calls, images and a search" },
      json: { summary: "as JSON, which sessions import reads" },
    },
  },
  "sessions share": {
    name: "sessions share",
    summary: "write a page without keys, home paths and hosts; shows it and asks first",
    operands: [session, { name: "FILE", isOptional: true, completes: "file" }],
    options: yes,
  },
  "sessions import": {
    name: "sessions import",
    summary: "make a session of a shared page (or exported JSON)",
    operands: [{ name: "FILE", completes: "file" }],
    options: {},
  },
  cost: {
    name: "cost",
    summary: "add up what all sessions have cost, from their logs",
    operands: [],
    options: {
      since: { value: "TIME", summary: "since then: 7d, 12h, 2w or a date, 2026-11-01 (default: 30d)" },
      by: { value: "WHAT", oneOf: ["model", "project", "tool"], summary: "by model (default), project or tool" },
      ...json,
    },
  },
} as const satisfies Readonly<Record<string, CommandSyntax>>;
