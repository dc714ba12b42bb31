import { isJsonObject, type JsonObject } from "@ikigai/protocol";
import { parseObject } from "@ikigai/system";
import { AgentFailure } from "./agent-failure.ts";

/** What the host grants an agent. The agent itself enforces it; the tool passes it on. */
export interface Grant {
  /** The program that runs the agent. */
  readonly bin: string;
  readonly mode: string;
  /** The rules that allow. The grant has the others, too. */
  readonly allowed: readonly string[];
  readonly model: string;
  readonly tokens: number;
  /** The session that grants, and the number of the agent in it. */
  readonly session: string;
  readonly slot: number;
  /** The only tools, if so. */
  readonly tools: readonly string[] | undefined;
  readonly sandbox: { readonly network: boolean } | undefined;
  /** The agents with instructions of their own, by name. */
  readonly agents: ReadonlyMap<string, NamedAgent>;
  /** The whole grant. */
  readonly value: JsonObject;
}

/** @throws AgentFailure `NO_AGENTS` if the host grants nothing. */
export function readGrant({ IKIGAI_BIN: bin, IKIGAI_AGENT_GRANT: text = "" }: NodeJS.ProcessEnv): Grant {
  const value = parseObject(text);
  if (!bin || !value) {
    throw new AgentFailure("NO_AGENTS", "This host starts no agents for this call", {
      hint: "Do the work without an agent. Agents can be started in a conversation with ikigai.",
    });
  }
  const { mode, model, tokens, rules, tools, sandbox } = value;
  const allowed = (Array.isArray(rules) ? rules : []).flatMap((rule) =>
    isJsonObject(rule) && rule.verdict === "allow" && typeof rule.rule === "string" ? [rule.rule] : [],
  );
  return {
    bin,
    mode: String(mode),
    allowed,
    model: String(model),
    tokens: Number(tokens),
    session: String(value.session),
    slot: Number(value.slot),
    tools: Array.isArray(tools) ? tools.map(String) : undefined,
    sandbox: isJsonObject(sandbox) ? { network: sandbox.network === true } : undefined,
    agents: new Map(agentsIn(value).map((agent) => [agent.name, agent])),
    value,
  };
}

/** An agent with instructions, and perhaps a model and tools, of its own. */
export interface NamedAgent {
  readonly name: string;
  readonly path: string;
  readonly sha256: string;
  readonly model?: string;
  readonly tools?: readonly string[];
}

/** The host has checked them. */
function agentsIn({ agents }: JsonObject): NamedAgent[] {
  return (Array.isArray(agents) ? agents : []) as unknown as NamedAgent[];
}

/** Returns the grant for an agent that may use only these of the tools. */
export function narrowed(grant: Grant, tools: readonly string[] | undefined): string {
  if (!tools) return JSON.stringify(grant.value);
  const kept = tools.filter((tool) => grant.tools?.includes(tool) ?? true);
  return JSON.stringify({ ...grant.value, tools: kept });
}
