import type { Registry } from "@ikigai/core";
import { expectedMessage } from "../model/agent-error.ts";
import { outputsDir } from "../session/beside-log.ts";
import type { TurnEnd } from "../turn/agent-event.ts";
import type { OutputSchema } from "../turn/output-schema.ts";
import { runTurn } from "../turn/run-turn.ts";
import { systemPrompt } from "../turn/system-prompt.ts";
import type { TurnOptions } from "../turn/turn-options.ts";
import type { UserInput } from "../turn/user-input.ts";
import type { AgentContext } from "./agent-context.ts";

/** What differs between turns. */
export type TakeTurnOptions = Pick<
  TurnOptions,
  | "model"
  | "signal"
  | "emit"
  | "ask"
  | "recorded"
  | "takeSteering"
  | "contextWindow"
  | "outputSchema"
  | "askToSend"
  | "notSent"
>;

/** Returns the current system prompt, for a request with these tools. */
export function systemFor(
  { permission, rules, toolNotes }: Pick<AgentContext, "permission" | "rules" | "toolNotes">,
  registry: Registry,
  outputSchema?: OutputSchema,
): string {
  const { home, projectDir, mode } = permission;
  const prompt = systemPrompt({
    cwd: projectDir,
    home,
    date: new Date(),
    isPlan: mode === "plan",
    outputSchema: outputSchema?.text,
    sandbox: rules.sandbox,
  });
  return prompt + (toolNotes?.instructions(registry) ?? "");
}

/** Runs a turn for one message. Never rejects because of a model, a tool or a network. */
export async function takeTurn(
  context: AgentContext,
  message: string | UserInput,
  options: TakeTurnOptions,
): Promise<TurnEnd> {
  const { conversation, permission, models, config, overflowDir, rules, toolbox, toolNotes } = context;
  const { model, emit } = options;
  const outputs = outputsDir(conversation);
  permission.readableDirs = outputs === undefined ? [overflowDir] : [overflowDir, outputs];
  const tools = await toolbox.last();
  for (const text of toolNotes?.notices(tools) ?? []) emit({ type: "notice", text });
  return runTurn(conversation, message, {
    ...context,
    contextWindow: () => models.of(model.id)?.contextWindow,
    ...options,
    system: systemFor(context, tools, options.outputSchema),
    registry: () => toolbox.last(),
    settingsFor: rules.settingsFor,
    ...(config.patience && { patience: config.patience }),
    saveRule: async (rule) => {
      try {
        const { savedRuleText, saveRule } = await import("../config/save-rule.ts");
        emit({ type: "notice", text: savedRuleText(rule, saveRule(permission.home, rule)) });
      } catch (error) {
        emit({ type: "notice", text: `The rule applies to this session only: ${expectedMessage(error)}` });
      }
    },
    emit: (event) => {
      if (event.type === "step_end") models.answered(model.id);
      emit(event);
    },
  });
}
