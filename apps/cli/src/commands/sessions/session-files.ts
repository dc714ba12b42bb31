// ikigai sessions archive, delete, export, share and import: what is done with whole sessions and files of them.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { resolve } from "node:path";
import { secretsOf } from "@ikigai/models";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import {
  AgentError,
  archiveSession,
  deleteSession,
  importSession,
  namedSession,
  readOnlyLog,
  readStoredSession,
  sessionCatalog,
  sessionJson,
} from "@ikigai/session";
import {
  exportHtml,
  exportMarkdown,
  type Replaced,
  redactSession,
  sharedPage,
  storedMarkdown,
} from "@ikigai/session/export";
import { systemReason } from "@ikigai/system";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { canAsk, confirm, nobodyToAsk } from "../../host/terminal/ask-person.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import { age, fileSize } from "../../render/short-forms.ts";
import { pageOptions } from "../../tui/commands/export-page.ts";
import type { Command, CommandContext } from "../command.ts";
import { configWithKeys } from "../sign-in.ts";

export const archive: Command = {
  async run(args, { places: { home } }) {
    const syntax = commands["sessions archive"];
    const { flags, operands } = readOptions(args, syntax.options);
    const ids = readOperands(operands, syntax).map((wanted) => namedSession(home, wanted));
    for (const id of ids) archiveSession(home, id, !flags.has("restore"));
    printOut(`${flags.has("restore") ? "Restored" : "Archived"}: ${ids.join(", ")}\n`);
    return exitCodes.done;
  },
};

export const deleteCommand: Command = {
  async run(args, { places: { home } }) {
    const syntax = commands["sessions delete"];
    const { flags, operands } = readOptions(args, syntax.options);
    const ids = [...new Set(readOperands(operands, syntax).map((wanted) => namedSession(home, wanted)))];
    const catalog = sessionCatalog(home);
    for (const id of ids) {
      const session = catalog.find((one) => one.id === id);
      const facts = session && `${age(session.changedAt)}, ${session.turns} turns, ${fileSize(session.bytes)}`;
      printOut(`${id}  ${sanitiseLine(session?.title ?? "")}  (${facts ?? "unreadable"})\n`);
    }
    if (!flags.has("yes")) {
      if (!canAsk()) throw nobodyToAsk();
      if (!(await confirm(`Delete ${ids.length === 1 ? "this session" : `these ${ids.length} sessions`}?`))) {
        printError("Nothing was deleted.\n");
        return exitCodes.failed;
      }
    }
    for (const id of ids) deleteSession(home, id);
    printOut(`Deleted: ${ids.length === 1 ? "1 session" : `${ids.length} sessions`}.\n`);
    return exitCodes.done;
  },
};

export const exportCommand: Command = {
  async run(args, { places }) {
    const syntax = commands["sessions export"];
    const { flags, operands } = readOptions(args, syntax.options);
    const [wanted = "", file] = readOperands(operands, syntax);
    const named = [...flags];
    if (named.length > 1) throw new UsageError("Give one of --md, --html and --json.");
    const format = named[0] ?? /\.(html|json)$/.exec(file ?? "")?.[1] ?? "md";
    const stored = readStoredSession(places.home, namedSession(places.home, wanted));
    const path = sessionCatalog(places.home).find(({ id }) => id === stored.id)?.path;
    const conversation = { ...stored, log: readOnlyLog(path ?? ""), messages: [], introduced: [], usage: noTokens };
    if (format === "json") write(file, `${sessionJson(stored)}\n`);
    else if (format === "md") write(file, exportMarkdown(conversation));
    else write(file, await exportHtml(conversation, await pageOptions(stored.cwd)));
    return exitCodes.done;
  },
};

const noTokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Writes a new file; to stdout without one. @throws AgentError if it exists, or cannot be written. */
function write(file: string | undefined, text: string): void {
  if (file === undefined) {
    printOut(text);
    return;
  }
  const path = resolve(file);
  if (existsSync(path)) throw new AgentError("session_not_saved", `${file} already exists. Choose another name.`);
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    throw new AgentError("session_not_saved", `Cannot write ${file}: ${systemReason(error as NodeJS.ErrnoException)}.`);
  }
  printError(`Wrote ${sanitiseLine(file)}.\n`);
}

export const share: Command = {
  async run(args, context) {
    const syntax = commands["sessions share"];
    const { flags, operands } = readOptions(args, syntax.options);
    const { home, userHome } = context.places;
    const [wanted = "", named] = readOperands(operands, syntax);
    const stored = readStoredSession(home, namedSession(home, wanted));
    const file = named ?? `${stored.name || stored.id}.html`;
    const sharer = { secrets: secretsHere(context), userHome, userName: ownName(), hostName: hostname() };
    const { session, replaced } = redactSession(stored, sharer);
    if (!flags.has("yes") && !canAsk()) throw nobodyToAsk();
    printOut(sanitise(`${storedMarkdown(session)}\n${renderReplaced(replaced)}`));
    const question = `Write this to ${sanitiseLine(file)}?`;
    if (!flags.has("yes") && !(await confirm(question))) {
      printError("Nothing was written.\n");
      return exitCodes.failed;
    }
    write(file, await sharedPage(session, await pageOptions(session.cwd)));
    return exitCodes.done;
  },
};

function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without an entry in the system's list.
    return "";
  }
}

/** Every key that this user has here. */
function secretsHere(context: CommandContext): string[] {
  return secretsOf(configWithKeys(context), context.env);
}

function renderReplaced(replaced: readonly Replaced[]): string {
  const lines = replaced.map(
    ({ kind, text, by, count }) => `  ${kind === "key" ? "a key" : text} → ${by}  (${count}×)\n`,
  );
  const list = lines.length === 0 ? "Nothing had to be replaced.\n" : `Replaced:\n${[...new Set(lines)].join("")}`;
  return `---\n${list}Left out: images, and what hooks and the system prompt said. Other private words are still in it.\n`;
}

/** The largest file that is read, in bytes. */
const maxImportBytes = 256 * 1_048_576;

export const importCommand: Command = {
  async run(args, { places }) {
    const syntax = commands["sessions import"];
    const { operands } = readOptions(args, syntax.options);
    const [file = ""] = readOperands(operands, syntax);
    const conversation = importSession(read(file), { home: places.home, cwd: places.projectDir });
    const name = sessionCatalog(places.home).find(({ id }) => id === conversation.id)?.name ?? "";
    printOut(
      `Imported as ${sanitiseLine(name)} (${conversation.id}). To continue it: ikigai --resume ${conversation.id}\n`,
    );
    return exitCodes.done;
  },
};

function read(file: string): string {
  try {
    const text = readFileSync(file);
    if (text.length <= maxImportBytes) return text.toString("utf8");
  } catch (error) {
    throw new AgentError("session_unreadable", `Cannot read ${file}: ${systemReason(error as NodeJS.ErrnoException)}.`);
  }
  throw new AgentError("session_unreadable", `${file} is larger than ${fileSize(maxImportBytes)}.`);
}
