// The notices when an agent is opened, and those after everything has ended.

import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import type { AgentContext, ToolRules } from "@ikigai/agent/internal";
import { beforeExit, isInside, visibleLine } from "@ikigai/system";
import type { SessionFlags } from "../../args/parse-argv.ts";
import { printError } from "../terminal/stdout.ts";

/** Why a conversation for which no one has named a mode starts in `ask`; nothing if the user has turned the sandbox off. */
export function modeNotices(
  { config, sandbox: { whyNotAuto } }: Pick<AgentContext, "config" | "sandbox">,
  {
    isConversation,
    permissionMode = config.permission?.mode,
  }: Pick<SessionFlags, "permissionMode"> & { readonly isConversation: boolean },
): string[] {
  return isConversation && permissionMode === undefined && whyNotAuto ? [whyNotAuto] : [];
}

/** Says that tools run in the sandbox, and which do not. */
export function sandboxNotices(rules: ToolRules): string[] {
  const { usual: sandbox, launchers, exceptions } = rules;
  if (!sandbox) {
    const only = exceptions.sandbox.join(", ");
    if (only !== "") return [`Only these tools run in the sandbox, as you configured: ${only}.`];
    return rules.sandbox ? ["No tool runs in the sandbox, as you configured: tools.*.sandbox is false."] : [];
  }
  const elsewhere = Object.keys(launchers);
  // Nothing is granted at a path that does not exist; doctor names it.
  const writable = sandbox.writable.filter((path) => existsSync(path));
  const changeable = ["the project", ...writable.map((path) => inHome(path, sandbox.userHome))].join(", ");
  return [
    `Tools run in the sandbox: they can change only ${changeable}, and reach ${reach(sandbox.network)}.`,
    ...(exceptions.sandbox.length > 0 ? [`Not sandboxed, as you configured: ${exceptions.sandbox.join(", ")}.`] : []),
    ...(exceptions.network.length > 0
      ? [`They reach ${reach(!sandbox.network)}, as you configured: ${exceptions.network.join(", ")}.`]
      : []),
    ...(elsewhere.length > 0 ? [`Not sandboxed, because they run elsewhere: ${elsewhere.join(", ")}.`] : []),
  ];
}

/** A path below the user's home begins with `~`. */
function inHome(path: string, userHome: string): string {
  return isInside(path, userHome) ? join("~", relative(userHome, path)) : path;
}

/** The sandbox in a few words: `on, hosts that you allow; not for bash`. @param isOffered whether this machine has one, for what is not asked about. */
export function sandboxState({ usual: sandbox, launchers, exceptions }: ToolRules, isOffered: boolean): string {
  const outside = [...exceptions.sandbox, ...(sandbox ? Object.keys(launchers) : [])].join(", ");
  if (!sandbox && isOffered)
    return `for what runs without a question, ${reach(false)}${outside === "" ? "" : `; always for ${outside}`}`;
  if (!sandbox) return outside === "" ? "off" : `off, but on for ${outside}`;
  const online = exceptions.network.map((name) => `; ${name}: ${reach(!sandbox.network)}`).join("");
  return `on, ${reach(sandbox.network)}${online}${outside === "" ? "" : `; not for ${outside}`}`;
}

const reach = (network: boolean) => (network ? "all hosts on the internet" : "hosts that you allow");

/** Prints a notice when everything else has ended: until then the full screen may have the terminal. */
export function sayAtExit(notice: string): void {
  beforeExit(() => printError(`${visibleLine(notice)}\n`), { isLast: true });
}
