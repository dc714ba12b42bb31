// An agent's side of its grant: the limits of its permission, its slot in the session that started it, and the messages that it gets
// from other agents. Loaded only by agents.

import { readdirSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { budgetTokens, systemMessage } from "@ikigai/models";
import type { PermissionLimit } from "@ikigai/permission";
import { textStart } from "@ikigai/protocol";
import { AgentError, type Conversation, logSuffix, sessionsDir } from "@ikigai/session";
import { isInside, parseObject, realPathOf } from "@ikigai/system";
import { readTextFile } from "../config/read-config.ts";
import type { AgentPlace, Agents, HeldGrant, OwnSlot } from "./agents.ts";
import { claimSlot, tokensOfAgents, updateSlot } from "./agents-work.ts";
import { type Grant, readGrant } from "./grant.ts";
import { openParentLink, parentUser } from "./question-link.ts";

/**
 * Returns the grant in the value of `IKIGAI_AGENT_GRANT`.
 *
 * @throws AgentError `grant` if it cannot be read: nothing may run then.
 */
export function holdGrant(text: string): HeldGrant {
  const grant = readGrant(text);
  return {
    grant,
    limitsFor: (place) => limitsFor(grant, place),
    parentUser(env, directory) {
      const link = openParentLink(env);
      return link && parentUser(link, directory);
    },
    claim: (home, conversation) => claimOwnSlot(grant, home, conversation),
  };
}

/**
 * The directory of the worktree that the agent of a grant may work in. Not in the user's ikigai directory, where every change needs
 * a question.
 */
function worktreePlace({ session, slot }: Grant, { userHome, env }: AgentPlace): string {
  const { XDG_STATE_HOME: given = "" } = env;
  const state = isAbsolute(given) ? given : join(userHome, ".local/state");
  return join(state, "ikigai/worktrees", `${session}-${slot}`);
}

/**
 * Returns what limits the permission of an agent.
 *
 * @throws AgentError `grant` if the agent is to work in a directory that is neither inside the project nor a copy of it.
 */
export function limitsFor(grant: Grant, place: AgentPlace): PermissionLimit[] {
  const { mode, rules, readOnlyCommands, projectDir: granted, directories, within } = grant;
  const { projectDir } = place;
  const limits = [{ mode, rules, readOnlyCommands, projectDir: granted, directories }, ...within];
  const own = realPathOf(projectDir);
  if (isInside(own, realPathOf(granted))) return limits;
  if (isInside(own, realPathOf(worktreePlace(grant, place)))) return limits.map(({ projectDir: _, ...limit }) => limit);
  throw new AgentError("grant", `This agent may only work in ${granted}, and ${projectDir} is outside of it.`);
}

/**
 * Takes the slot that a grant is for.
 *
 * @throws AgentError `grant` if there is no such slot, another agent has taken it, or that cannot be written.
 */
export function claimOwnSlot(grant: Grant, home: string, { id, usage }: Conversation): OwnSlot {
  const parentLog = join(sessionsDir(home), `${grant.session}${logSuffix}`);
  const tokens = Math.min(claim(parentLog, grant, id), grant.tokens);
  // What the conversation had used before, if it continues another one, does not count.
  const before = budgetTokens(usage);
  const spentBy = (agents: Agents, conversation: Conversation) =>
    budgetTokens(conversation.usage) - before + tokensOfAgents(agents, conversation);
  return {
    left: (agents, conversation) => tokens - spentBy(agents, conversation),
    record(agents, conversation, isOver) {
      try {
        updateSlot(parentLog, grant.slot, { session: id, spent: spentBy(agents, conversation), isOver });
      } catch {
        // What is not recorded counts as used up when the agent has ended.
      }
    },
    takeMessages: ({ log }) => takeMessages(log.path),
  };
}

function claim(parentLog: string, grant: Grant, id: string): number {
  let tokens: number | undefined;
  try {
    tokens = claimSlot(parentLog, grant, id);
  } catch (error) {
    throw new AgentError(
      "grant",
      `This agent cannot start, because its start cannot be recorded: ${systemMessage(error)}.`,
    );
  }
  if (tokens !== undefined) return tokens;
  const text = "The grant in IKIGAI_AGENT_GRANT is used up or invalid. Each agent needs its own grant.";
  throw new AgentError("grant", text);
}

/** The longest message file that is read, in bytes: a message of 16 KiB as JSON. */
const maxBytes = 131_072;

/** How much of a message the agent sees, in characters. */
const maxLength = 16_384;

/**
 * Takes the messages of other agents to the conversation with this log, oldest first. The agent sees who sent them: they are not the
 * user's. Never throws.
 */
export function takeMessages(logPath: string | undefined): { readonly text: string }[] {
  if (logPath === undefined) return [];
  const directory = logPath.replace(/\.jsonl$/, ".inbox");
  return messagesIn(directory).flatMap((name) => {
    const path = join(directory, name);
    const message = read(path);
    return isRemoved(path) && message !== undefined ? [{ text: message }] : [];
  });
}

function messagesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(".json"))
      .sort();
  } catch {
    return [];
  }
}

/** What cannot be removed would be read before every request. */
function isRemoved(path: string): boolean {
  try {
    rmSync(path, { force: true, recursive: true });
    return true;
  } catch {
    return false;
  }
}

function read(path: string): string | undefined {
  try {
    const { from, text } = parseObject(readTextFile(path, maxBytes)?.text ?? "") ?? {};
    if (typeof from !== "string" || !/^[\w-]{1,64}$/.test(from) || typeof text !== "string") return undefined;
    return `Message from agent ${from}:\n\n${textStart(text, maxLength)}`;
  } catch {
    return undefined;
  }
}
