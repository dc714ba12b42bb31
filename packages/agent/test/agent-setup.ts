import { readFileSync } from "node:fs";
import { join } from "node:path";
import { discover, type RegisteredTool, type Registry } from "@ikigai/core";
import type { Message, Model } from "@ikigai/models";
import type { Permission } from "@ikigai/permission";
import { type Conversation, resumeConversation, type SessionLine, startConversation } from "@ikigai/session";
import { type TreeEntry, tempDir } from "@ikigai/testing";
import { systemSchema } from "../../permission/test/registered-tool.ts";
import type { AgentEvent, TurnEnd, UserInput } from "../src/turn/agent-event.ts";
import { runTurn } from "../src/turn/run-turn.ts";
import type { TurnOptions } from "../src/turn/turn-context.ts";

/** An executable that prints its schema on request, and otherwise runs the shell script. */
export function shellTool(name: string, script: string, declared: object = {}): string {
  const parameters = { type: "object", properties: {} };
  const schema = JSON.stringify({ name, description: `Does ${name}`, parameters, ...declared });
  return `#!/bin/sh\nif [ "$1" = --schema ]; then echo '${schema}'; exit 0; fi\n${script}\n`;
}

export interface Agent {
  readonly project: string;
  readonly home: string;
  readonly conversation: Conversation;
  readonly registry: Registry;
  readonly permission: Permission;
  /** Sends a message to a model and waits until the turn ends. */
  say(
    model: Model,
    text: string | UserInput,
    options?: Partial<TurnOptions>,
  ): Promise<{ end: TurnEnd; events: AgentEvent[] }>;
  /** The lines of the log. */
  log(): SessionLine[];
}

/** A tool's script, or a script with more of its schema. */
type ToolScript = string | { readonly script: string; readonly declared: object };

/** A project with files, a user with tools, and a conversation in mode allow. */
export async function agent(
  tools: Record<string, ToolScript>,
  files: Record<string, TreeEntry> = {},
  secrets: readonly string[] = [],
): Promise<Agent> {
  const project = await tempDir(files);
  const named = Object.entries(tools).map(([name, tool]) => {
    const { script, declared } = typeof tool === "string" ? { script: tool, declared: {} } : tool;
    return [`tools/${name.replaceAll("_", "-")}-tool`, shellTool(name, script, declared)] as const;
  });
  const home = await tempDir({ "tools/": "", ...Object.fromEntries(named) });
  const directories = [{ path: join(home, "tools"), scope: "user" as const }];
  const found = await discover({ directories, home, projectDir: project });
  // As if each overrode the system tool of its name.
  const registry = { ...found, tools: found.tools.map((tool) => ({ ...tool, ...declared(tool.name) })) };
  const conversation = startConversation({ home, cwd: project, secrets });
  const permission: Permission = { mode: "allow", rules: [], projectDir: project, home };
  const say: Agent["say"] = async (model, text, options) => {
    const events: AgentEvent[] = [];
    const end = await runTurn(conversation, text, {
      model,
      prompt: { system: "You help." },
      currentRegistry: async () => registry,
      permission,
      emit: (event) => events.push(event),
      patience: { firstRetryMs: 5, maxRetries: 2 },
      ...options,
    });
    return { end, events };
  };
  const log = () =>
    readFileSync(String(conversation.log.path), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as SessionLine);
  return { project, home, conversation, registry, permission, say, log };
}

function declared(name: string): Pick<RegisteredTool, "system"> {
  const system = systemSchema(name);
  return system ? { system } : {};
}

export function resultsIn(events: readonly AgentEvent[]): (AgentEvent & { type: "tool_result" })[] {
  return events.filter((event): event is AgentEvent & { type: "tool_result" } => event.type === "tool_result");
}

export function noticesIn(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
}

/** Calls without exactly one result after them, in the conversation and its log; providers reject these. */
export function unansweredIn({ conversation }: Agent): string[] {
  const calls = conversation.messages.flatMap((message) =>
    message.role === "assistant" ? message.parts.flatMap((part) => (part.type === "tool_call" ? [part.id] : [])) : [],
  );
  const results = conversation.messages.flatMap((message) => (message.role === "tool" ? [message.id] : []));
  return calls.filter((id) => results.filter((other) => other === id).length !== 1);
}

/** The messages that a resume of the session finds. */
export function readSessionMessages({ home, conversation }: Agent): readonly Message[] {
  conversation.log.close();
  const resumed = resumeConversation({ home, cwd: conversation.cwd, id: conversation.id });
  resumed.conversation.log.close();
  return resumed.conversation.messages;
}
