// /model and /thinking: the list of models, the switch to one, and the model that a resumed session had.

import {
  type ListedFacts,
  listedFacts,
  listModels,
  type Model,
  type ThinkingLevel,
  thinkingLevels,
} from "@ikigai/models";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { recordUse } from "@ikigai/session";
import { tokenCount } from "@ikigai/system";
import { chooseModel, missingModelId, modelOfSession } from "../../host/model/choose-model.ts";
import { rememberModels } from "../../host/model/remembered-models.ts";
import { renderModelNotice } from "../../render/render-header.ts";
import { pick } from "../app/open-dialog.ts";
import { type ScreenHandler, say, type Tui } from "../app/tui.ts";

/** The available models, as last listed. */
function models(tui: Tui): Promise<readonly string[]> {
  if (tui.listedModels) return tui.listedModels;
  const { config, env, places } = tui.session.agent;
  const problem = (text: string) => say(tui, tui.theme.style.yellow(sanitise(text)));
  const listed = listModels(config, env, problem).then((names) => {
    rememberModels(places.home, names, { config, env });
    return names;
  });
  tui.setListedModels(listed);
  return listed;
}

export const model: ScreenHandler = {
  complete: models,
  async run(wanted, tui) {
    tui.setListedModels(undefined);
    const chosen = wanted === "" ? await pickModel(tui) : wanted;
    if (chosen !== undefined) await changeModel(tui, chosen);
  },
};

async function pickModel(tui: Tui): Promise<string | undefined> {
  const { session } = tui;
  tui.showHint("Asking the providers for their models");
  const found = await models(tui);
  tui.clearHint();
  const known = [session.model.id, ...tui.recentModels, ...found];
  const all = [...new Set(known.filter((id) => id !== missingModelId))];
  const facts = await listedFacts(session.agent.config, session.agent.env);
  const choices = all.map((id) => {
    const parts = [...(id === session.model.id ? ["current"] : []), ...aboutModel(facts(id))];
    return {
      value: id,
      label: sanitiseLine(id),
      ...(parts.length > 0 && { remark: parts.join(` ${session.screen.signs.dot} `) }),
    };
  });
  const noMatch = "No listed model matches. To choose another: /model PROVIDER/MODEL";
  const title = found.length > 0 ? "Model" : "Model (none listed: ikigai setup in a shell, or /model PROVIDER/MODEL)";
  return pick(tui, { title, choices, noMatch });
}

/** What a model costs for a million tokens sent and received, its context window, and what it can. */
function aboutModel({ price, contextWindow, abilities }: ListedFacts): string[] {
  return [
    ...(price ? [`$${dollars(price.input)} / $${dollars(price.output)}`] : []),
    ...(contextWindow === undefined ? [] : [tokenCount(contextWindow)]),
    ...(abilities.length === 0 ? [] : [abilities.join(", ")]),
  ];
}

function dollars(amount: number): string {
  return String(Number(amount.toPrecision(3)));
}

/** Switches the session to another model, from its next request on. */
async function changeModel(tui: Tui, wanted: string): Promise<void> {
  const { session, theme } = tui;
  const { switchModel } = await import("../../session/commands/switch-model.ts");
  const chosen = await switchModel(session, wanted, "/model lists the models.");
  if ("problem" in chosen) return say(tui, theme.style.red(sanitise(chosen.problem)));
  if (chosen.warning !== undefined) say(tui, theme.style.yellow(sanitise(chosen.warning)));
  use(chosen.model, tui);
  recordUse(session.agent, chosen.model);
  const about = aboutModel((await listedFacts(session.agent.config, session.agent.env))(chosen.model.id));
  const facts = about.length === 0 ? "" : theme.style.dim(`  ${about.join(` ${session.screen.signs.dot} `)}`);
  say(tui, `Model: ${sanitiseLine(chosen.model.id)}${facts}\n${renderModelNotice(chosen.model, session.screen)}`);
}

function use(model: Model, tui: Tui): void {
  const { session } = tui;
  session.model = model;
  tui.addRecentModel(model.id);
  void session.agent.models.lookUp(model.id).then(() => tui.redraw());
}

/** Continues a resumed session with the model and the thinking level that it used last, if that model can be used now. */
export async function useModelOfSession(tui: Tui): Promise<void> {
  const { session, theme } = tui;
  const { agent } = session;
  const { lastUse } = agent.conversation;
  if (lastUse === undefined) return;
  const { wanted, notice } = modelOfSession(agent);
  const warn = (text: string) => say(tui, theme.style.yellow(sanitise(text)));
  if (wanted === undefined)
    return notice === undefined ? undefined : warn(`${notice} It continues with ${session.model.id}.`);
  const chosen = await chooseModel(agent, wanted, { namedBy: "chosen" });
  if ("error" in chosen) return warn(`${chosen.error.message} The session continues with ${session.model.id}.`);
  if (lastUse.thinking) agent.thinking = lastUse.thinking;
  else delete agent.thinking;
  const isSame = chosen.model.id === session.model.id;
  use(chosen.model, tui);
  if (notice !== undefined) warn(notice);
  else if (!isSame) say(tui, `Model: ${sanitiseLine(chosen.model.id)}`);
}

/** Switches to the next of the models used; with only one, opens the picker. */
export async function cycleModel(tui: Tui): Promise<void> {
  const { recentModels, session } = tui;
  const now = recentModels.indexOf(session.model.id);
  const next = recentModels[(now + 1) % recentModels.length];
  const wanted = next === undefined || next === session.model.id ? await pickModel(tui) : next;
  if (wanted !== undefined && wanted !== session.model.id) await changeModel(tui, wanted);
}

export const thinking: ScreenHandler = {
  complete: () => [...thinkingLevels, "default"],
  async run(wanted, tui) {
    const { agent } = tui.session;
    const levels = [...thinkingLevels, "default"];
    const now = levels.indexOf(agent.thinking ?? "default");
    const choices = levels.map((level, index) => ({
      value: level,
      label: level,
      ...(index === now && { remark: "current" }),
    }));
    const level = wanted === "" ? await pick(tui, { title: "Thinking", choices, selected: now }) : wanted;
    if (level === undefined) return;
    if (level === "default") delete agent.thinking;
    else if (isLevel(level)) agent.thinking = level;
    else return say(tui, `Expected ${thinkingLevels.join(", ")} or default, got ${sanitiseLine(level)}.`);
    recordUse(agent, tui.session.model);
    say(tui, `Thinking: ${agent.thinking ?? "provider default"}`);
  },
};

function isLevel(word: string): word is ThinkingLevel {
  return (thinkingLevels as readonly string[]).includes(word);
}
