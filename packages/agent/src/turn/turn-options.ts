import type { Registry } from "@ikigai/core";
import type { SpareTools } from "@ikigai/core/internal";
import type { PatienceConfig } from "../config/config.ts";
import type { ToolSettings } from "../config/tool-settings.ts";
import type { Model, ThinkingLevel } from "../model/model.ts";
import type { Ask, Permission, PermissionRule } from "../permission/permission.ts";
import type { RecordedAnswers } from "../replay/recorded-answers.ts";
import type { AgentEvent } from "./agent-event.ts";
import type { UserInput } from "./user-input.ts";

/** All that a turn needs beside the conversation. */
export interface TurnOptions {
  readonly model: Model;
  readonly system: string;
  /** The tools as they are now; asked for before each request. */
  readonly registry: () => Promise<Registry>;
  /** Who may do what. Its project is also where tools work. */
  readonly permission: Permission;
  /** Absent without a terminal to ask on. */
  readonly ask?: Ask;
  /** Keeps a rule the user wants for ever; `saveRule` does. */
  readonly saveRule?: (rule: PermissionRule) => void;
  readonly emit: (event: AgentEvent) => void;
  /**
   * What the user has said since the turn began, and takes it off their list. Asked before each request, so that the model
   * hears of it at its next step, and at the end: a turn goes on while there is something left to say.
   */
  readonly takeSteering?: () => readonly UserInput[];
  /** Stops the turn: what was said and done so far stays in the conversation. */
  readonly signal?: AbortSignal;
  readonly thinking?: ThinkingLevel;
  /** How much the model reads, in tokens, as far as that is known by now. Room is made before it is full. */
  readonly contextWindow?: () => number | undefined;
  /** How many requests the turn may take. */
  readonly maxSteps?: number;
  readonly patience?: PatienceConfig;
  /** How the user wants the calls of a tool to be made: `toolRules` knows. */
  readonly settingsFor?: (name: string) => ToolSettings;
  /** Keeps tools started that have been called, for the calls to come. Whoever made it closes it. */
  readonly spares?: SpareTools;
  /** What tools inherit, before core takes the providers' keys out. */
  readonly env?: NodeJS.ProcessEnv;
  /** Where output over the limit goes. */
  readonly overflowDir?: string;
  /** Answers calls instead of the tools: nothing is run, so nothing is asked. */
  readonly recorded?: RecordedAnswers;
  /** Keys, which are taken out of what tools print: `secretsOf` knows them. */
  readonly secrets?: readonly string[];
}
