import { isStdio, type ServerEntry, serverTarget } from "@ikigai/mcp";
import { shellWord } from "@ikigai/system";

/** The option of a command whose value is a key, which everyone on the machine can read. */
export function keyOption(args: readonly string[]): string | undefined {
  return args.find((word) => /^-[\w-]*(?:key|token|secret|password)(?:=.|$)/i.test(word));
}

/** The command that starts a server by hand, without a key; `undefined` for a URL, and for a package that is not kept. */
export function tryCommand(entry: ServerEntry, npm: string | undefined): string | undefined {
  if (!isStdio(entry) || npm !== undefined) return undefined;
  return keyOption(entry.args) === undefined ? serverTarget({ entry }) : `${shellWord(entry.command)} …`;
}
