// /model NAME: whether a model that the user has typed can be used.

import type { Config } from "@ikigai/agent/internal";
import { keyedAccess, listOllamaModels, listProviderModels, type Model, parseModelName } from "@ikigai/models";
import { nearestWord } from "@ikigai/system";
import type { Agent } from "../../host/conversation/agent-from-flags.ts";
import { chooseModel } from "../../host/model/choose-model.ts";
import { rememberedModelsOf } from "../../host/model/remembered-models.ts";

/** A model to use, with what to know about it, or why it cannot be used. */
export type Switched = { readonly model: Model; readonly warning?: string } | { readonly problem: string };

/**
 * Chooses the model that the user has typed after /model. A server that a bare name or `ollama/` leads to is asked whether it has
 * the model, and one that it does not list is refused; other providers have models that they do not list. The offline
 * interpreter, if it answers already, keeps its notice.
 *
 * @param howToList says how to list the models.
 */
export async function switchModel(
  { agent, model }: { readonly agent: Agent; readonly model: Model },
  wanted: string,
  howToList: string,
): Promise<Switched> {
  const chosen = await chooseModel(agent, wanted, { namedBy: "chosen" });
  if ("error" in chosen) return { problem: `${chosen.error.message}\n${howToList}` };
  const { id } = chosen.model;
  const [provider = ""] = id.split("/", 1);
  if (provider === "offline" && id === model.id) return { model };
  const isBare = provider === "openai-compatible" && parseModelName(wanted) === undefined;
  const listed =
    isBare || provider === "ollama"
      ? await listedNow(provider, agent)
      : rememberedModelsOf(provider, agent.places.home, agent);
  if (listed?.length === 0 && provider === "ollama")
    return { problem: `Ollama has no model. To fetch one, in a shell: ollama pull ${id.slice(provider.length + 1)}` };
  if (listed === undefined || listed.length === 0 || listed.some((known) => known === id || known === `${id}:latest`))
    return chosen;
  // All names begin with the provider's, which must not count as something in common.
  const name = id.slice(provider.length + 1);
  const names = listed.map((known) => known.slice(provider.length + 1));
  const nearestName = nearestWord(name, names);
  const nearest = nearestName && `${provider}/${nearestName}`;
  const advice = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  const problem = `The server lists no model ${name}.${advice}`;
  if (isBare || provider === "ollama") return { problem: `${problem}\n${howToList}` };
  return { ...chosen, warning: problem };
}

/** The models that the server has, as `provider/model`; `undefined` if it does not answer. */
async function listedNow(
  provider: string,
  { config, env }: { config: Config; env: NodeJS.ProcessEnv },
): Promise<string[] | undefined> {
  if (provider === "ollama") return (await listOllamaModels(env))?.map((name) => `ollama/${name}`);
  try {
    const access = await keyedAccess("openai-compatible", config, env);
    const names = await listProviderModels("openai-compatible", { access, config, env });
    return names.map((name) => `openai-compatible/${name}`);
  } catch {
    return undefined;
  }
}
