// Opens the agent of a conversation: the one place where configuration, keys, permission, network, tools, hooks, jobs, agents and the
// conversation come together. `createAgent` and the command both use it; `takeTurn` runs a turn of it. Then how it ends.

import { rmSync } from "node:fs";
import { type RegisteredTool, type Registry, type SpareTools, spareTools } from "@ikigai/core";
import { type KnownModels, knownModels, type ThinkingLevel } from "@ikigai/models";
import type { Permission, PermissionMode, PermissionRule } from "@ikigai/permission";
import { type Conversation, type ResumedConversation, type StartOptions, TurnUndo } from "@ikigai/session";
import { temporaryPath } from "@ikigai/system";
import type { Config } from "../config/config.ts";
import type { ToolRules } from "../config/tool-settings.ts";
import type { HookedSummary, SessionEndReason } from "../hooks/event-hooks.ts";
import { openHooks } from "../hooks/open-hooks.ts";
import type { HookScene, Hooks } from "../hooks/run-hooks.ts";
import { nextJobNumber } from "../jobs/background-jobs.ts";
import { ConversationJobs } from "../jobs/conversation-jobs.ts";
import { addDirectories, addDirectory, changeDirectory, directoryToAdd } from "../project/added-directories.ts";
import { findInstructions } from "../project/find-instructions.ts";
import {
  type Agents,
  agentRights,
  type HeldGrant,
  isOffered,
  openAgents,
  recordSpent,
  withinGrant,
} from "../subagents/agents.ts";
import { privacyNotices } from "./privacy-problems.ts";
import { type NetworkOfSession, type OfferedSandbox, offeredSandbox, openNetwork } from "./session-sandbox.ts";
import { openToolbox, type Places, type Toolbox, type ToolPlace, toolSetup } from "./tool-setup.ts";

/** What all turns of one conversation share. */
export interface AgentContext extends AgentActions {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  readonly config: Config;
  readonly toolbox: Toolbox;
  /** Tool processes kept warm for the next call, and services. They end with this process. */
  readonly spares: SpareTools;
  /** What calls have left running. It ends with this process, unless the user lets it go on. */
  readonly jobs: ConversationJobs;
  /** How to run the tools. */
  readonly rules: ToolRules;
  /** The permission mode and rules, and the project they apply to. */
  readonly permission: Permission;
  /** Returns what saves the project's files around a session's calls; `undefined` if the user does not want that. */
  readonly undoOf: (session: string) => TurnUndo | undefined;
  /** The hooks of the user and the project. */
  readonly hooks: Hooks;
  /** The agents that the model may start, and the one that this is. */
  readonly agents: Agents;
  readonly models: KnownModels;
  readonly toolNotes?: ToolNotes;
  /** May be replaced between two messages. */
  conversation: Conversation;
  /** How much the model thinks; the provider's default if absent. */
  thinking?: ThinkingLevel;
  /** Keys that must not be shown or written. */
  readonly secrets: readonly string[];
  /**
   * The directory for tool output that is too long for a model; named after the process and conversation that it belongs to.
   */
  readonly overflowDir: string;
  /** Maximum number of requests per message. */
  readonly maxSteps?: number;
  /** Called before each call of a tool, which waits for it. */
  readonly callStarts?: (tool: RegisteredTool) => Promise<void>;
  /** Says how the user can give a rule to this host: the end of a sentence. */
  readonly allowAdvice?: (rule?: string) => string;
  /** The network of the sandboxes. */
  readonly network: NetworkOfSession;
  /** What of the calls the sandbox holds. */
  readonly sandbox: OfferedSandbox;
  /** The instruction files that the model got when this was opened. */
  readonly instructions: readonly string[];
  /** What the user should know before the first message, one per line. */
  notices: readonly string[];
}

/**
 * What is done with an agent between its turns: how it changes, continues with another conversation, and ends: `endSession`, `stop`, and
 * last `release`, or `close` for all.
 */
interface AgentActions {
  /** Counts a directory as the project, too, as the user names it. Returns whether it did not before, or why it cannot be. */
  addDirectory(given: string): { readonly path: string; readonly isNew: boolean } | { readonly problem: string };
  /** Has calls run in another directory of the project, as the user names it. Returns why they cannot: a sentence. */
  changeDirectory(given: string): string | undefined;
  /** Takes over settings that count at once, for all that hold the configuration. */
  applySettings(changed: { readonly [Name in "screen" | "providers"]?: Config[Name] | undefined }): void;
  /** Runs the hooks before a summary that the user asks for. */
  beforeCompact(focus: string, scene: Required<Pick<HookScene, "signal" | "notice">>): Promise<HookedSummary>;
  /** Runs the hooks for the end of the conversation. @param notice tells the user something, one sentence. Never rejects. */
  endSession(reason: SessionEndReason, notice?: (text: string) => void): Promise<void>;
  /** Continues with another conversation: ends the previous one, closes its log and ends its services. */
  change(conversation: Conversation): void;
  /** Ends the jobs and the tools, and waits until what the last turn changed is saved. */
  stop(): Promise<void>;
  /** Closes the log, after everything that may still write to it has ended, and removes outputs that were too long. */
  release(): void;
  close(): Promise<void>;
}

/** How an agent is opened. */
export interface OpenOptions extends ToolPlace {
  /** Takes precedence over the configured permission. */
  readonly permission: {
    readonly mode?: PermissionMode | undefined;
    readonly rules?: readonly PermissionRule[] | undefined;
    /** Directories that count as the project, besides those of the configuration: as `directoryToAdd` returns them. */
    readonly directories?: readonly string[] | undefined;
    /** Whether a user can answer questions: without a configured mode, it is `auto` where the sandbox works. */
    readonly isConversation?: boolean;
  };
  readonly maxSteps?: number | undefined;
  /** Whether this process may be an agent that another one has started. Otherwise a grant is an error. */
  readonly takesGrant: boolean;
  /** Whether the outputs that were too long for the model outlive the agent. Default: they are removed. */
  readonly keepsOutputs?: boolean;
  /** The program that runs agents. Default: none are started. */
  readonly bin?: string | undefined;
  readonly toolNotes?: ToolNotes;
  /** Called with the result of each discovery, before it is used. */
  readonly found?: (registry: Registry, rules: ToolRules) => Promise<void>;
  /** Called before each call of a tool, which waits for it. */
  readonly callStarts?: (tool: RegisteredTool) => Promise<void>;
  /** Called before each run of a hook, which waits for it. */
  readonly hookStarts?: () => Promise<void>;
  readonly allowAdvice?: (rule?: string) => string;
  /** Opens the conversation. Called after tool discovery has started, which takes longer. */
  readonly openConversation: (place: ConversationPlace) => ResumedConversation;
}

/** What `openAgent` adds to a conversation that it opens. */
export type ConversationPlace = Required<Pick<StartOptions, "secrets">> & Pick<StartOptions, "parent">;

/**
 * Opens an agent: its configuration, keys, permission, network, tools, hooks, jobs, agents and conversation. Tool discovery is still
 * running when this returns. Calls without a configured permission are asked about. Its caller ends it.
 *
 * @throws ConfigError; what `openConversation` throws; AgentError `grant` if the grant does not permit this.
 */
export async function openAgent(options: OpenOptions): Promise<AgentContext> {
  const { places, env, bin } = options;
  const held = options.takesGrant ? await heldGrant(env) : undefined;
  const setup = toolSetup({ ...options, flags: withinGrant(options.flags ?? {}, held) });
  const { config, problems, secrets, rules: ownRules } = setup;
  const { maxSteps = config.maxSteps } = options;
  const sandbox = offeredSandbox(ownRules, { projectDir: places.projectDir, env, hasUndo: config.undo !== false });
  const { permission, unusable } = firstPermission(setup, options, { sandbox, held });
  const network = openNetwork(ownRules, permission, options);
  const { rules } = network;
  const rights = agentRights(config, env, { bin, held });
  const spares = spareTools();
  const toolbox = openToolbox(places, env, rules, {
    found(registry) {
      void spares.services.retain(registry.tools);
      return options.found?.(registry, rules);
    },
    isOffered: (tool) => isOffered(rights, tool, places.home),
  });
  let conversation: Conversation | undefined;
  try {
    const opened = options.openConversation({
      secrets,
      ...(held && { parent: { session: held.grant.session, call: held.grant.call } }),
    });
    conversation = opened.conversation;
    const { id, lastUse } = conversation;
    const jobs = new ConversationJobs(() => nextJobNumber(opened.conversation));
    const { files, refused } = findInstructions(places.projectDir, places.home, permission.directories);
    const parts: AgentParts = {
      ...{ places, env, config, toolbox, spares, jobs, rules, permission, sandbox, network, secrets, conversation },
      undoOf: undosFor(config, { ...places, env, added: () => permission.directories ?? [] }),
      agents: openAgents(rights, held, { ...places, env, conversation }),
      hooks: { ...openHooks(places, { env, sandbox: rules.sandbox }, held?.grant.guards), starts: options.hookStarts },
      models: knownModels(config, env),
      ...(lastUse?.thinking && { thinking: lastUse.thinking }),
      overflowDir: temporaryPath(id),
      ...(maxSteps !== undefined && { maxSteps }),
      ...callerParts(options),
      instructions: files.map(({ path }) => path),
      notices: [
        ...problems,
        ...unusable,
        ...privacyNotices(places.home),
        ...refused,
        ...opened.notices,
        ...[conversation.log.problem].flatMap((problem) => problem ?? []),
      ],
    };
    return withActions(parts, options.keepsOutputs === true);
  } catch (error) {
    conversation?.log.close();
    void toolbox.close();
    throw error;
  }
}

/**
 * Returns what the agent that started this process grants it; `undefined` if none did. Its code is loaded only by agents.
 *
 * @throws AgentError `grant` if it cannot be read: nothing may run then.
 */
async function heldGrant({ IKIGAI_AGENT_GRANT: text }: NodeJS.ProcessEnv): Promise<HeldGrant | undefined> {
  return text === undefined ? undefined : (await import("../subagents/held-grant.ts")).holdGrant(text);
}

/** What the caller has said that stays as it is. */
function callerParts({ toolNotes, callStarts, allowAdvice }: OpenOptions) {
  return { ...(toolNotes && { toolNotes }), ...(callStarts && { callStarts }), ...(allowAdvice && { allowAdvice }) };
}

/**
 * The permission at the start: the configured one, with what the caller and a grant say and what the sandbox can hold. `unusable` says why
 * directories cannot be added, a sentence each.
 */
function firstPermission(
  { config, permission: configured, rules }: ReturnType<typeof toolSetup>,
  { places, env, permission: given }: OpenOptions,
  { sandbox, held }: { readonly sandbox: OfferedSandbox; readonly held: HeldGrant | undefined },
): { readonly permission: Permission; readonly unusable: readonly string[] } {
  const permission: Permission = {
    ...configured,
    mode: given.mode ?? config.permission?.mode ?? usualMode(given, sandbox),
    rules: [...(given.rules ?? []), ...configured.rules],
    sandboxOf: sandbox.sandboxOf,
    gitWrites: rules.sandboxFor("bash")?.git === true,
    ...(held && { limits: held.limitsFor({ ...places, env }) }),
  };
  const unusable = addDirectories(permission, places, {
    configured: config.directories,
    given: [...(given.directories ?? []), ...(held?.grant.directories ?? [])],
  });
  return { permission, unusable };
}

/** The mode that neither the command line nor the configuration names. */
function usualMode({ isConversation }: OpenOptions["permission"], { whyNotAuto }: OfferedSandbox): PermissionMode {
  return isConversation && whyNotAuto === undefined ? "auto" : "ask";
}

/** Returns what saves the project's files around the calls of a session, the same for each session. */
function undosFor({ undo: mode }: Config, place: ConstructorParameters<typeof TurnUndo>[0]): AgentContext["undoOf"] {
  const undos = new Map<string, TurnUndo>();
  return (session) => {
    if (mode === false) return undefined;
    const undo = undos.get(session) ?? new TurnUndo({ ...place, isUnlimited: mode === true }, session);
    undos.set(session, undo);
    return undo;
  };
}

/**
 * Runs the hooks for the end of the current conversation, if it had a message in this process. Call it before the log is closed
 * or another conversation begins. Never rejects.
 *
 * @param notice tells the user something, one sentence. Default: the next conversation does.
 */
export async function endSession(
  { hooks, conversation, permission, secrets }: Pick<HookScene, "hooks" | "conversation" | "permission" | "secrets">,
  reason: SessionEndReason,
  notice = (text: string): void => void hooks.untold.push(text),
): Promise<void> {
  await hooks.leaving;
  for (const text of hooks.untold.splice(0)) notice(text);
  if (hooks.sessions.get(conversation.id) !== "open") return;
  const { sessionEnds } = await import("../hooks/event-hooks.ts");
  const record = conversation.log.append.bind(conversation.log);
  await sessionEnds({ hooks, conversation, permission, secrets, record, notice }, reason);
}

type AgentParts = Omit<AgentContext, keyof AgentActions>;

function withActions(parts: AgentParts, keepsOutputs: boolean): AgentContext {
  const agent: AgentContext = {
    ...parts,
    addDirectory(given) {
      const found = directoryToAdd(given, agent.places);
      return "problem" in found ? found : { ...found, isNew: addDirectory(agent.permission, found.path) };
    },
    changeDirectory: (given) => changeDirectory(agent.permission, given, agent.places.userHome),
    applySettings: (changed) => void Object.assign(parts.config, changed),
    async beforeCompact(focus, scene) {
      const { hooks, conversation, permission, secrets } = agent;
      if (hooks.finder.isEmpty()) return { focus };
      const { compactHooks } = await import("../hooks/event-hooks.ts");
      const record = conversation.log.append.bind(conversation.log);
      return compactHooks({ hooks, conversation, permission, secrets, record, ...scene }, "manual", focus);
    },
    endSession: (reason, notice) => endSession(agent, reason, notice),
    change(conversation) {
      const { id, log } = agent.conversation;
      // Hooks still write to it.
      if (conversation.id !== id) agent.hooks.leaving = agent.endSession("clear").finally(() => log.close());
      else log.close();
      agent.conversation = conversation;
      if (conversation.id !== id) void agent.spares.services.endSession(id);
    },
    async stop() {
      const { jobs, spares, toolbox, undoOf, conversation } = agent;
      await Promise.all([jobs.jobs.close(), spares.close(), toolbox.close(), undoOf(conversation.id)?.settled()]);
    },
    release() {
      recordSpent(agent.agents, agent.conversation, true);
      agent.conversation.log.close();
      if (!keepsOutputs) removeTree(agent.overflowDir);
    },
    async close() {
      await agent.endSession("other");
      await agent.stop();
      agent.release();
    },
  };
  return agent;
}

function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // The system removes temporary files too.
  }
}

/** What a program knows about tools beyond their schemas. */
export interface ToolNotes {
  /** Returns what to add to the system prompt while these tools are loaded. */
  readonly instructions: (registry: Registry) => string;
  /** Returns what the user should know about them now, one sentence each. */
  readonly notices: (registry: Registry) => readonly string[];
}
