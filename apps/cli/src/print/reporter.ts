import type { AgentEvent, TurnEnd } from "@ikigai/agent";
import type { OutputFormat } from "../argv.ts";
import type { Agent } from "../open-agent.ts";
import { printOut } from "../print-out.ts";

/** Prints what happens in one of the output formats. */
export interface Reporter {
  add(event: AgentEvent): void;
  end(end: TurnEnd): void;
}

export function createReporter(format: OutputFormat, agent: Agent): Reporter {
  switch (format) {
    case "text":
      return textReporter();
    case "json":
      return jsonReporter(agent);
    case "stream-json":
      return streamReporter(agent);
  }
}

/** Only the answer. It is for whatever reads it, so nothing in it is changed. */
function textReporter(): Reporter {
  return {
    add() {},
    end({ text }) {
      if (text !== "") printOut(text.endsWith("\n") ? text : `${text}\n`);
    },
  };
}

/** One object at the end. */
function jsonReporter(agent: Agent): Reporter {
  const calls = new Map<string, { name: string; arguments: unknown; envelope: string }>();
  return {
    add(event) {
      if (event.type === "tool_call") {
        calls.set(event.id, { name: event.name, arguments: parseArguments(event.arguments), envelope: "null" });
      } else if (event.type === "tool_result") {
        const call = calls.get(event.id);
        if (call) call.envelope = event.json;
      }
    },
    end(end) {
      const { result, session_id, turns, usage, error } = toResult(end, agent);
      const fields = JSON.stringify({ result, session_id, turns, usage, ...(error && { error }) }).slice(0, -1);
      // The envelopes as they are: a number of twenty digits would not survive being parsed.
      const list = [...calls.values()].map(({ name, arguments: args, envelope }) => {
        return `${JSON.stringify({ name, arguments: args }).slice(0, -1)},"envelope":${envelope}}`;
      });
      printOut(`${fields},"tool_calls":[${list.join(",")}]}\n`);
    },
  };
}

/** An event a line, as it happens. */
function streamReporter(agent: Agent): Reporter {
  const print = (event: object) => printOut(`${JSON.stringify(event)}\n`);
  const { conversation, model } = agent;
  print({ type: "session", session_id: conversation.id, model: model.id, cwd: conversation.cwd });
  return {
    add(event) {
      if (event.type === "turn_end") return;
      if (event.type !== "tool_result") return void print(event);
      const { type, id, name, durationMs, json } = event;
      const fields = JSON.stringify({ type, id, name, duration_ms: Math.round(durationMs) }).slice(0, -1);
      printOut(`${fields},"envelope":${json}}\n`);
    },
    end(end) {
      print({ type: "result", reason: end.reason, ...toResult(end, agent) });
    },
  };
}

function toResult({ text, steps, usage, error }: TurnEnd, { conversation }: Agent) {
  return { result: text, session_id: conversation.id, turns: steps, usage, ...(error && { error }) };
}

/** What the model wrote, when it is JSON. */
function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
