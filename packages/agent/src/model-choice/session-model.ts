import type { ModelUse } from "../model/model.ts";
import { ModelError } from "../model/model-error.ts";
import { parseModelName } from "../model/parse-model-name.ts";
import { accessTo } from "../providers/provider-access.ts";
import { defaultModels } from "./known-models.ts";
import { type ModelChoiceOptions, modelChoice } from "./model-choice.ts";
import { modelProblem } from "./resolve-model.ts";

/** Which model a resumed session continues with, unless the user names one. */
export interface SessionModel {
  /** The model that it used last; absent if that cannot be used now. */
  readonly wanted?: string;
  /** What the user should know about it. */
  readonly notice?: string;
}

/**
 * Returns the model that a resumed session used last, if it can be used now, as far as that is known without a request. The
 * caller's own models are not kept: they only replace a missing one.
 */
export function sessionModel(lastUse: ModelUse | undefined, options: ModelChoiceOptions): SessionModel {
  if (lastUse === undefined || isOwn(lastUse.model, options)) return {};
  const { model } = lastUse;
  const problem = problemOf(model, options);
  if (problem !== undefined) return { notice: `This session used ${model}, which cannot be used now. ${problem}` };
  const configured = configuredModel(options);
  if (configured === undefined || configured === model) return { wanted: model };
  return { wanted: model, notice: `This session continues with ${model}; the configured model is ${configured}.` };
}

function isOwn(model: string, { ownModels = {} }: ModelChoiceOptions): boolean {
  const [name = ""] = model.split("/");
  return Object.hasOwn(ownModels, name);
}

function problemOf(model: string, options: ModelChoiceOptions): string | undefined {
  const name = parseModelName(model);
  if (name === undefined) return "ikigai has no such provider.";
  const { provider, isOllama } = name;
  const hasServer =
    provider !== "openai-compatible" || isOllama || accessTo(provider, options.config, options.env).baseUrl;
  if (!hasServer) return "openai-compatible has no base URL now.";
  return modelProblem({ ...options, wanted: model });
}

/** The model of the configuration as `provider/model`, if there is one and its name is complete. */
function configuredModel({ config, env, ownModels }: ModelChoiceOptions): string | undefined {
  if (config.model === undefined) return undefined;
  try {
    const choice = modelChoice({ config, env, ...(ownModels && { ownModels }) });
    if (choice === undefined || "own" in choice) return config.model;
    const { provider, model = defaultModels[provider], isOllama } = choice.name;
    return model === undefined ? undefined : `${isOllama ? "ollama" : provider}/${model}`;
  } catch (error) {
    if (error instanceof ModelError) return undefined;
    throw error;
  }
}
