import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spareTools } from "@ikigai/core";
import type { SpareTools } from "@ikigai/core/internal";
import type { Config } from "../config/config.ts";
import type { ToolRules } from "../config/tool-settings.ts";
import type { ThinkingLevel } from "../model/model.ts";
import { type KnownModels, knownModels } from "../model-choice/known-models.ts";
import type { Permission, PermissionRule } from "../permission/permission.ts";
import type { PermissionMode } from "../permission/permission-modes.ts";
import type { Conversation } from "../session/conversation.ts";
import { openToolbox, type Places, type Toolbox } from "./open-toolbox.ts";

/** Everything that the turns of one conversation have in common. */
export interface AgentContext {
  readonly env: NodeJS.ProcessEnv;
  readonly config: Config;
  readonly toolbox: Toolbox;
  /** Tools that wait for their next call. They end with this process. */
  readonly spares: SpareTools;
  /** How the user wants tools to be run. */
  readonly rules: ToolRules;
  /** Who may do what, and where. */
  readonly permission: Permission;
  readonly models: KnownModels;
  /** May be exchanged between two messages. */
  conversation: Conversation;
  /** How much the model is to think; its provider's choice without it. */
  thinking?: ThinkingLevel;
  /** Keys, which are neither shown nor written down. */
  readonly secrets: readonly string[];
  /** Where the output of tools goes that is too long for a model; its name says which process and conversation it belongs to. */
  readonly overflowDir: string;
  /** How many requests one message may take. */
  readonly maxSteps?: number;
}

export interface ContextOptions {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
  readonly config: Config;
  readonly rules: ToolRules;
  /** What comes before the configured permission. */
  readonly permission: {
    readonly mode?: PermissionMode | undefined;
    readonly rules: readonly PermissionRule[];
  };
  readonly secrets: readonly string[];
  readonly maxSteps?: number | undefined;
  /** Opens the conversation; called once the tools are being looked for, which takes longer. */
  readonly openConversation: () => Conversation;
}

/**
 * Puts the parts of an agent together. Its tools are being looked for when this returns. What has no permission configured is
 * asked about.
 *
 * @throws what `openConversation` throws.
 */
export function openContext(options: ContextOptions): AgentContext {
  const { places, env, config, rules, secrets, maxSteps = config.maxSteps } = options;
  const toolbox = openToolbox(places, env, rules);
  try {
    const conversation = options.openConversation();
    return {
      env,
      config,
      toolbox,
      spares: spareTools(),
      rules,
      permission: permissionOf(options),
      models: knownModels(config, env),
      conversation,
      secrets,
      overflowDir: join(tmpdir(), `ikigai-${process.pid}-${conversation.id}`),
      ...(maxSteps !== undefined && { maxSteps }),
    };
  } catch (error) {
    void toolbox.close();
    throw error;
  }
}

function permissionOf({ places, config, permission: given }: ContextOptions): Permission {
  const { mode, rules = [], readOnlyCommands } = config.permission ?? {};
  return {
    mode: given.mode ?? mode ?? "ask",
    rules: [...given.rules, ...rules],
    projectDir: places.projectDir,
    home: places.home,
    ...(readOnlyCommands !== undefined && { readOnlyCommands }),
  };
}

/** Removes the outputs that were too long for a model. */
export function removeOverflow({ overflowDir }: Pick<AgentContext, "overflowDir">): void {
  try {
    rmSync(overflowDir, { recursive: true, force: true });
  } catch {
    // Temporary files are the system's to remove as well.
  }
}
