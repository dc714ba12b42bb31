import { rmSync } from "node:fs";
import { type RegisteredTool, type Registry, spareTools } from "@ikigai/core";
import type { SpareTools } from "@ikigai/core/internal";
import { type KnownModels, knownModels, type ThinkingLevel } from "@ikigai/models";
import type { Permission, PermissionMode, PermissionRule } from "@ikigai/permission";
import { type Conversation, TurnUndo } from "@ikigai/session";
import { temporaryPath } from "@ikigai/system";
import type { Config } from "../config/config.ts";
import { savedRules } from "../config/load-config.ts";
import type { ToolRules } from "../config/tool-settings.ts";
import type { Hooks } from "../hooks/hook-input.ts";
import { openHooks } from "../hooks/open-hooks.ts";
import { nextJobNumber } from "../jobs/background-jobs.ts";
import { ConversationJobs } from "../jobs/conversation-jobs.ts";
import type { Agents, HeldGrant } from "../subagents/agent-state.ts";
import { agentRights, isOffered, openAgents } from "../subagents/agents.ts";
import { endSession } from "./end-session.ts";
import { type OfferedSandbox, offeredSandbox } from "./offered-sandbox.ts";
import { openToolbox, type Places, type Toolbox } from "./open-toolbox.ts";
import { type NetworkOfSession, openNetwork } from "./session-network.ts";

/** What all turns of one conversation share. */
export interface AgentContext {
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
}

export interface ContextOptions {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  readonly config: Config;
  readonly rules: ToolRules;
  /** Takes precedence over the configured permission. */
  readonly permission: {
    readonly mode?: PermissionMode | undefined;
    readonly rules: readonly PermissionRule[];
    /** Whether a user can answer questions: without a configured mode, it is `auto` where the sandbox works. */
    readonly isConversation?: boolean;
  };
  readonly secrets: readonly string[];
  readonly maxSteps?: number | undefined;
  /** What the agent that started this process grants it; see `heldGrant`. */
  readonly held?: HeldGrant | undefined;
  /** The program that runs agents. Default: none are started. */
  readonly bin?: string | undefined;
  readonly toolNotes?: ToolNotes;
  /** Called with the result of each discovery, before it is used. */
  readonly found?: (registry: Registry) => Promise<void>;
  /** Called before each call of a tool, which waits for it. */
  readonly callStarts?: (tool: RegisteredTool) => Promise<void>;
  readonly allowAdvice?: (rule?: string) => string;
  /** Opens the conversation. Called after tool discovery has started, which takes longer. */
  readonly openConversation: () => Conversation;
}

/**
 * Assembles the parts of an agent. Tool discovery is still running when this returns. Calls without a configured permission
 * are asked about.
 *
 * @throws what `openConversation` throws; AgentError `grant` if the grant does not permit this.
 */
export function openContext(options: ContextOptions): AgentContext {
  const { places, env, config, secrets, held, bin, maxSteps = config.maxSteps } = options;
  const sandbox = offeredSandbox(options.rules, {
    projectDir: places.projectDir,
    env,
    hasUndo: config.undo !== false,
  });
  const permission = {
    ...permissionOf(options, sandbox),
    sandboxOf: sandbox.sandboxOf,
    gitWrites: options.rules.sandboxFor("bash")?.git === true,
  };
  const network = openNetwork(options.rules, permission, options);
  const { rules } = network;
  const rights = agentRights(config, env, { bin, held });
  const spares = spareTools();
  const jobs = new ConversationJobs(() => nextJobNumber(conversation));
  const toolbox = openToolbox(places, env, rules, {
    found(registry) {
      void spares.services.retain(registry.tools);
      return options.found?.(registry);
    },
    isOffered: (tool) => isOffered(rights, tool, places.home),
  });
  let conversation: Conversation | undefined;
  try {
    conversation = options.openConversation();
    const undos = new Map<string, TurnUndo>();
    return {
      undoOf(session) {
        if (config.undo === false) return undefined;
        const undo = undos.get(session) ?? new TurnUndo({ ...places, env, isUnlimited: config.undo === true }, session);
        undos.set(session, undo);
        return undo;
      },
      env,
      config,
      toolbox,
      spares,
      jobs,
      rules,
      permission,
      sandbox,
      network,
      agents: openAgents(rights, held, { ...places, env, conversation }),
      hooks: openHooks(places, { env, sandbox: rules.sandbox }, held?.grant.guards),
      models: knownModels(config, env),
      conversation,
      ...(conversation.lastUse?.thinking && { thinking: conversation.lastUse.thinking }),
      secrets,
      overflowDir: temporaryPath(conversation.id),
      ...(maxSteps !== undefined && { maxSteps }),
      ...(options.toolNotes && { toolNotes: options.toolNotes }),
      ...(options.callStarts && { callStarts: options.callStarts }),
      ...(options.allowAdvice && { allowAdvice: options.allowAdvice }),
    };
  } catch (error) {
    conversation?.log.close();
    void toolbox.close();
    throw error;
  }
}

function permissionOf(
  { places, env, config, held, permission: given }: ContextOptions,
  { whyNotAuto }: OfferedSandbox,
): Permission {
  const { mode, rules, readOnlyCommands } = config.permission ?? {};
  const usual = given.isConversation && whyNotAuto === undefined ? "auto" : "ask";
  return {
    mode: given.mode ?? mode ?? usual,
    rules: [...given.rules, ...savedRules(places, rules)],
    projectDir: places.projectDir,
    home: places.home,
    ...(readOnlyCommands !== undefined && { readOnlyCommands }),
    ...(held && { limits: held.limitsFor({ ...places, env }) }),
  };
}

/** Continues with another conversation: runs the hooks for the end of the previous one, closes its log and ends its services. */
export function changeConversation(context: AgentContext, conversation: Conversation): void {
  const { id, log } = context.conversation;
  // Hooks still write to it.
  if (conversation.id !== id) context.hooks.leaving = endSession(context, "clear").finally(() => log.close());
  else log.close();
  context.conversation = conversation;
  if (conversation.id !== id) void context.spares.services.endSession(id);
}

/** Removes the stored outputs that were too long for a model. */
export function removeOverflow({ overflowDir }: Pick<AgentContext, "overflowDir">): void {
  try {
    rmSync(overflowDir, { recursive: true, force: true });
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
