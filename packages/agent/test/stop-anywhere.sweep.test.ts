import type { Message } from "@ikigai/models";
import { expect, inject, test } from "vitest";
import type { AgentEvent } from "../src/turn/agent-event.ts";
import { agent, readSessionMessages, unansweredIn } from "./agent-setup.ts";
import { modelServer } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";

const call = (id: string, name: string) => ({ id, name, arguments: "{}" });
const steps = [
  { text: "I look.", calls: [call("a", "quick"), call("b", "slow")] },
  { text: "And again.", calls: [call("c", "quick")] },
  { text: "Done." },
];

/** Unless all are tested, one of five events per provider, starting at a different one for each. */
const stride = inject("isThorough") ? 1 : 5;
const cases = providers.map((provider, index) => ({ ...provider, provider, first: 1 + (index % stride) }));

test.each(cases)(
  "with $name, continues a conversation that was stopped at any event of a turn",
  { timeout: 300_000 },
  async ({ provider, first }) => {
    const tools = { quick: "echo '{}'", slow: "sleep 0.02; echo '{}'" };
    let reached = true;
    for (let at = first; reached; at += stride) {
      const one = await agent(tools);
      // The steps that were not reached are used by the next turn.
      const server = await modelServer(...steps, { text: "Done." });
      const model = await modelOf(provider, server.url);
      const stop = new AbortController();
      let count = 0;
      let stoppedAt: AgentEvent["type"] | undefined;
      const emit = ({ type }: AgentEvent) => {
        if (++count !== at) return;
        stoppedAt = type;
        stop.abort();
      };
      const { end } = await one.say(model, "go", { signal: stop.signal, emit });
      reached = stoppedAt !== undefined;
      expect([stoppedAt, end.reason]).toEqual([stoppedAt, expect.stringMatching(/^(interrupted|done)$/)]);
      expect([stoppedAt, unansweredIn(one)]).toEqual([stoppedAt, []]);
      expectInOrder(one.conversation.messages);
      const results = one.log().filter(({ type }) => type === "tool_result");
      const calls = one.log().filter(({ type }) => type === "tool_call");
      expect([stoppedAt, results.length]).toEqual([stoppedAt, calls.length]);
      expect([stoppedAt, (await one.say(model, "go on")).end.reason]).toEqual([stoppedAt, "done"]);
      expectInOrder(readSessionMessages(one));
    }
  },
);

/** Checks that each step is followed by the results of its calls before any other message. */
function expectInOrder(messages: readonly Message[]): void {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      expect(open).toContain(message.id);
      open = open.filter((id) => id !== message.id);
      continue;
    }
    expect(open).toEqual([]);
    if (message.role === "assistant")
      open = message.parts.flatMap((part) => (part.type === "tool_call" ? part.id : []));
  }
  expect(open).toEqual([]);
}
