import { findCommand } from "./commands.ts";

/** Other words for commands. As part of a sentence they are a message. */
const nearNames: Readonly<Record<string, string>> = {
  tools: "tool",
  model: "models",
  settings: "config",
  setting: "config",
  configuration: "config",
  update: "upgrade",
};

/** The command line with a command's own name, if it is one by another word: `tools list` is `tool list`. */
export function withCommandName(argv: readonly string[]): readonly string[] {
  const [first = "", next, ...rest] = argv;
  const name = Object.hasOwn(nearNames, first) ? nearNames[first] : undefined;
  if (name === undefined) return argv;
  const isCommand = next === undefined || next.startsWith("-") || findCommand([name, next])?.args.length === 0;
  return isCommand ? [name, ...(next === undefined ? [] : [next]), ...rest] : argv;
}
