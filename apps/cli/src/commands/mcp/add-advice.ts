import { existsSync } from "node:fs";
import { basename, isAbsolute, resolve } from "node:path";
import { isStdio, serverTarget } from "@ikigai/mcp";
import { sanitiseLine } from "../../render/sanitise.ts";
import type { WantedServer } from "./stage-server.ts";
import { keyOption } from "./try-command.ts";

/**
 * Warns about arguments that are paths of existing files: the server runs in another directory, where they lead nowhere.
 *
 * @param directory the directory that the command was written for
 */
export function pathAdvice({ entry }: WantedServer, directory: string): string {
  if (!isStdio(entry) || entry.cwd !== undefined) return "";
  return entry.args
    .filter((word) => word !== "" && !isAbsolute(word) && existsSync(resolve(directory, word)))
    .map((word) =>
      sanitiseLine(
        `${word} is a relative path, but the server runs in its own data directory. Use the absolute path: ${resolve(directory, word)}`,
      ),
    )
    .map((line) => `${line}\n`)
    .join("");
}

/** Warns about a key among the arguments of a command, which everyone on the machine can read. */
export function keyAdvice({ entry }: WantedServer): string {
  const option = isStdio(entry) && keyOption(entry.args);
  if (!option) return "";
  const name = sanitiseLine(option.split("=", 1)[0] ?? "");
  return `Everyone on this machine can see ${name} and its value. If the server reads a variable instead: --env, or "env" in a file.\n`;
}

/** Warns about a URL on the network without encryption. */
export function plainAdvice({ entry }: WantedServer): string {
  const isLocal = /^https?:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?::\d+)?(?:\/|$)/i;
  if (isStdio(entry) || !/^http:/i.test(entry.url) || isLocal.test(entry.url)) return "";
  return `${sanitiseLine(serverTarget({ entry }))} is not encrypted: others on the network can read your calls.\n`;
}

/** Says how to avoid npx, which queries the registry at every start. */
export function npxAdvice({ name, entry }: WantedServer): string {
  if (!isStdio(entry) || basename(entry.command) !== "npx") return "";
  const spec = entry.args.find((word) => !word.startsWith("-"));
  return spec === undefined
    ? ""
    : `npx queries the registry at every start. To fetch the package once: ikigai mcp add ${name} npm:${sanitiseLine(spec)}\n`;
}
