// The model of a conversation: the one that was named, used before or configured; else the offline interpreter, a placeholder, or why
// no model can be used.

import { configPath } from "@ikigai/agent/internal";
import type { IkigaiError } from "@ikigai/core/errors";
import {
  type Model,
  ModelError,
  modelChoice,
  resolveModel,
  type SessionModel,
  sessionModel,
  setupText,
} from "@ikigai/models";
import { UsageError } from "../../args/usage-error.ts";
import type { Agent } from "../conversation/agent-from-flags.ts";
import type { OfflineReason } from "./offline-model.ts";

interface ChooseModelOptions {
  /**
   * Whether the offline interpreter answers when no model is set up. Only for interactive use, where ikigai asks before anything
   * runs: the interpreter takes English for commands.
   */
  readonly offlineWithoutModel?: boolean;
  /** What the error without a model says that the offline interpreter can do instead. */
  readonly offlineAdvice?: string;
  /** Where `wanted` comes from, if it names the offline interpreter: the command line by default. */
  readonly namedBy?: "named" | "chosen";
}

/** The model to use, or why none can be used. */
export type ChosenModel =
  | {
      readonly model: Model;
      /** What the user should know about a session that continues with another model than before, or than the configured one. */
      readonly notice?: string;
    }
  | { readonly error: IkigaiError };

/**
 * Chooses the model: the one that the user named (`wanted`), else the one that a resumed session used, else the configured one.
 * The error is a `UsageError` if `wanted` cannot be the name of one.
 */
export async function chooseModel(
  agent: Agent,
  wanted: string | undefined,
  { offlineWithoutModel = false, offlineAdvice, namedBy = "named" }: ChooseModelOptions = {},
): Promise<ChosenModel> {
  const { config, env, places } = agent;
  const isConfigured = config.model?.trim().split("/")[0] === "offline";
  const kept = wanted === undefined ? modelOfSession(agent) : {};
  const reason = kept.wanted === undefined ? namedBy : "chosen";
  const own = ownModels(places.projectDir, isConfigured ? "configured" : reason);
  const fallback = offlineWithoutModel
    ? ownModels(places.projectDir, "no model").offline
    : async () => noModel(offlineAdvice);
  const { wanted: name = wanted, notice } = kept;
  try {
    const model = await resolveModel({
      config,
      env,
      ownModels: own,
      fallback,
      ...(name !== undefined && { wanted: name }),
    });
    if (notice === undefined) return { model };
    return { model, notice: kept.wanted === undefined ? `${notice} It continues with ${model.id}.` : notice };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    if (wanted !== undefined && !isModelName(wanted, { config, env, ownModels: own }))
      return { error: new UsageError(error.message) };
    if (name !== undefined) return { error };
    const placed = config.model === undefined ? error : withPlace(error, places);
    return {
      error:
        notice === undefined ? placed : new ModelError(placed.code, `${notice}\n${placed.message}`, { cause: error }),
    };
  }
}

/** Chooses the model of the mode plan, if the configuration has one and the command line names none. */
export async function choosePlanModel(agent: Agent, named: string | undefined): Promise<void> {
  if (named !== undefined || agent.config.models?.plan === undefined) return;
  const planned = await chooseModel(agent, "plan");
  if ("model" in planned) agent.planModel = planned.model;
  else agent.notices = [...agent.notices, `models.plan cannot be used. ${planned.error.message}`];
}

/** The model that the resumed session used, if it can be used now. */
export function modelOfSession({ config, env, places, conversation }: Agent): SessionModel {
  return sessionModel(conversation.lastUse, { config, env, ownModels: ownModels(places.projectDir) });
}

function isModelName(wanted: string, options: Parameters<typeof modelChoice>[0]): boolean {
  try {
    modelChoice({ ...options, wanted });
    return true;
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return false;
  }
}

/** Says where the model that cannot be used is set. */
function withPlace(error: ModelError, places: Agent["places"]): ModelError {
  if (error.code !== "configuration") return error;
  return new ModelError(
    "configuration",
    `${error.message}\nThe model is set in ${configPath(places.home)}. To choose another: ikigai setup`,
  );
}

/**
 * The command's own models, by name. Paths in simple commands are relative to `cwd`.
 *
 * @param reason why the interpreter answers, if it does.
 */
export function ownModels(
  cwd: string,
  reason: OfflineReason = "named",
): Readonly<Record<"offline", () => Promise<Model>>> {
  return { offline: async () => (await import("./offline-model.ts")).offlineModel({ cwd, reason }) };
}

const simpleCommands = "To run simple commands without a language model: --model offline";

/** @throws ModelError `configuration`: says how to set up a model, and what works without one. */
function noModel(offlineAdvice = simpleCommands): never {
  throw new ModelError("configuration", `No model is set up. ${setupText}\n${offlineAdvice}`);
}

/** A placeholder until the user chooses a model; every request fails. */
export function missingModel(problem: string): Model {
  return {
    id: missingModelId,
    notice: problem,
    // biome-ignore lint/correctness/useYield: it only throws
    async *stream() {
      throw new ModelError("configuration", problem);
    },
  };
}

export const missingModelId = "no model";
