import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import { type PermissionMode, recordUse } from "@ikigai/agent/internal";
import { conversationModes, permissionModeTable } from "@ikigai/agent/permission-modes";
import { rememberedModels } from "../host/remembered-models.ts";
import { switchModel } from "../session/switch-model.ts";
import { badParams } from "./acp-error.ts";
import type { AcpSession } from "./acp-session.ts";

/** What the editor offers to change in a session. */
export function sessionOptions(session: AcpSession) {
  return { modes: modesOf(session), configOptions: configOptionsOf(session) };
}

function modesOf({ agent }: AcpSession): SessionModeState {
  const current = agent.permission.mode;
  // An editor has a list, in which all fit.
  const usual = [...new Set([...conversationModes(agent.sandbox.isThere), "allow" as const])];
  const offered = usual.includes(current) ? usual : [...usual, current];
  const availableModes = offered.map((id) => {
    return { id, name: permissionModeTable[id].title, description: modeDescriptions[id] };
  });
  return { currentModeId: current, availableModes };
}

/** What an editor shows about each mode. */
const modeDescriptions: Readonly<Record<PermissionMode, string>> = {
  ask: "Ask before each call that no rule decides",
  edits: "Change the project's files without asking; ask before other calls",
  auto: "Run each call in the sandbox; ask for what needs to leave it",
  plan: "Read only: change nothing, whatever rules allow",
  allow: "Run each call that no rule decides, without asking",
  deny: "Deny each call that no rule decides",
};

/** @throws RequestError if the session does not offer the mode. */
export function setMode(session: AcpSession, wanted: string): void {
  const { availableModes } = modesOf(session);
  if (!isMode(wanted) || !availableModes.some(({ id }) => id === wanted)) {
    const known = availableModes.map(({ id }) => id).join(", ");
    throw badParams(`Expected modeId to be one of ${known}, got ${JSON.stringify(wanted)}.`);
  }
  session.agent.permission.mode = wanted;
}

function isMode(word: string): word is PermissionMode {
  return Object.hasOwn(permissionModeTable, word);
}

const modelOption = "model";

/** No server is asked for its models: they are those it listed last. */
export function configOptionsOf({ agent, model }: AcpSession): SessionConfigOption[] {
  const ids = [...new Set([model.id, ...rememberedModels(agent.places.home)])];
  const options = ids.map((id) => ({ value: id, name: id }));
  return [{ id: modelOption, name: "Model", category: "model", type: "select", currentValue: model.id, options }];
}

/** @throws RequestError if there is no such option, or the model cannot be used. */
export async function setConfigOption(session: AcpSession, option: string, value: unknown): Promise<void> {
  if (option !== modelOption) throw badParams(`Expected configId to be ${modelOption}, got ${JSON.stringify(option)}.`);
  if (typeof value !== "string") throw badParams("Expected value to be the name of a model.");
  const chosen = await switchModel(session, value, "To list the models: ikigai models");
  if ("problem" in chosen) throw badParams(chosen.problem);
  session.model = chosen.model;
  recordUse(session.agent, chosen.model);
}
