import { sanitiseLine } from "../../render/sanitise.ts";
import { commandCalled } from "../../session/slash-command.ts";
import type { Tui, TuiCommand } from "../app/tui.ts";
import type { Completions } from "../pi-tui/completions.ts";
import { rankMatches } from "../pi-tui/text.ts";
import type { FileIndex } from "./file-index.ts";

const maxItems = 50;

/** Completes the text before the cursor: a slash command, its argument, or a file after `@`. */
export async function complete(
  before: string,
  {
    isFirstLine,
    isForced,
    files,
    tui,
  }: {
    isFirstLine: boolean;
    isForced: boolean;
    files: FileIndex;
    tui: Tui;
  },
): Promise<Completions | undefined> {
  const [, mention] = /(?:^|\s)@("[^"]*|\S*)$/.exec(before) ?? [];
  if (mention !== undefined) return completeFile(mention, `@${mention}`, files, "@");
  if (isFirstLine && /^\/\S*$/.test(before)) return completeCommand(before, tui);
  const [, name, argument] = (isFirstLine && /^\/(\S+)\s+(.*)$/.exec(before)) || [];
  if (name !== undefined && argument !== undefined) {
    return completeArgument(argument, commandCalled(name, tui.commands()), tui);
  }
  const word = before.split(/\s/).at(-1) ?? "";
  return isForced && word !== "" ? completeFile(word, word, files, "") : undefined;
}

/** Completes a command. Custom ones are loaded again: a file may have been written a moment ago. */
async function completeCommand(typed: string, tui: Tui): Promise<Completions> {
  const isKnown = tui.commands().some(({ name }) => name.startsWith(typed.slice(1)));
  if (typed === "/" || !isKnown) await tui.loadCommands();
  return commandsLike(typed, tui.commands());
}

function commandsLike(typed: string, commands: readonly TuiCommand[]): Completions {
  const wanted = typed.slice(1);
  const starting = commands.filter(({ name }) => name.startsWith(wanted));
  const others = commands.filter(({ aliases }) => aliases?.some((alias) => alias.startsWith(wanted)));
  const known = starting.length > 0 ? starting : others;
  const found = known.length > 0 ? known : rankMatches(commands, wanted, ({ name }) => name);
  const items = found.map(({ name, parameters, summary }) => ({
    value: `/${name}`,
    label: `/${name}${parameters === undefined ? "" : ` ${parameters}`}`,
    description: summary,
  }));
  // Enter must not run a command that only has these letters somewhere.
  return { items, prefix: typed, isCommand: true, isLoose: known.length === 0 };
}

async function completeArgument(
  typed: string,
  command: TuiCommand | undefined,
  tui: Tui,
): Promise<Completions | undefined> {
  const candidates = await command?.complete?.(tui);
  if (!candidates) return undefined;
  const items = rankMatches(candidates, typed, (candidate) => candidate).slice(0, maxItems);
  // A complete argument needs no list.
  if (items.length === 1 && items[0] === typed) return undefined;
  return {
    items: items.map((value) => ({ value, label: sanitiseLine(value) })),
    prefix: typed,
    isCommand: true,
    isLoose: !items.some((item) => item.startsWith(typed)),
  };
}

async function completeFile(typed: string, prefix: string, files: FileIndex, sign: string): Promise<Completions> {
  const wanted = typed.replace(/^"/, "");
  const found = rankMatches(await files(), wanted, (path) => path).slice(0, maxItems);
  const items = found.map((path) => {
    // A directory ~ of the project is not the user's home.
    const written = path.startsWith("~") ? `./${path}` : path;
    // A name with a space is quoted.
    return { value: /\s/.test(path) ? `${sign}"${written}"` : `${sign}${written}`, label: sanitiseLine(path) };
  });
  return { items, prefix, isWhole: items[0]?.value === prefix };
}
