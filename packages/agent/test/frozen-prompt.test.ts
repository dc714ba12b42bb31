// @module-tag tables
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@ikigai/protocol";
import { tempDir } from "@ikigai/testing";
import { afterEach, expect, test, vi } from "vitest";
import { type AgentOptions, createAgent } from "../src/index.ts";
import { shellTool } from "./agent-setup.ts";
import { eventsOf } from "./agent-world.ts";
import { modelServer, type SeenRequest } from "./model-server.ts";
import { type Provider, providers, secret } from "./providers.ts";

afterEach(() => {
  vi.useRealTimers();
});

type Change = (agentsFile: string, home: string) => AgentOptions;

/** A conversation that is resumed for each message, with what changes before it. */
async function conversationWith(provider: Provider, changes: readonly Change[]) {
  const server = await modelServer({ text: `Done: ${"the work is described at some length. ".repeat(40)}` });
  const home = await tempDir({ "tools/touch-it-tool": shellTool("touch_it", "echo '{}'") });
  const project = await tempDir({ "AGENTS.md": "Use tabs." });
  const env = { PATH: process.env.PATH, [provider.key]: secret, [provider.base]: server.url };
  let session: string | undefined;
  for (const change of changes) {
    const options = change(join(project, "AGENTS.md"), home);
    const model = `${provider.name}/m`;
    const agent = await createAgent({ cwd: project, home, env, model, ...options, ...(session && { session }) });
    await eventsOf(agent, "go on");
    session = agent.sessionId;
    await agent.close();
  }
  // Without those for the model's facts.
  return server.requests.filter(({ path }) => path === provider.path);
}

const nothing = () => ({});
const plan = () => ({ permission: { mode: "plan" as const } });
const midnight = () => {
  vi.setSystemTime(Date.now() + 86_400_000);
  return {};
};
const rewrite = (path: string) => {
  writeFileSync(path, "Use spaces.");
  return {};
};

test.each(providers)(
  "$name can cache all of a conversation whose mode, date and instructions change",
  async (provider) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const requests = await conversationWith(provider, [nothing, plan, nothing, midnight, rewrite, nothing]);
    const texts = requests.map(inOrder);
    expect(texts.length).toBe(6);
    for (const [index, text] of texts.slice(1).entries()) {
      const before = texts[index] ?? "";
      expect(commonPrefix(before, text) / before.length).toBeGreaterThanOrEqual(0.99);
    }
    const last = texts.at(-1) ?? "";
    for (const [told, times] of [
      ["Use tabs.", 1],
      ["Use spaces.", 1],
      ["You are making a plan", 1],
      ["Plan mode: no longer applies.", 1],
      ["Date: ", 2],
    ] as const) {
      expect([told, last.split(told).length - 1]).toEqual([told, times]);
    }
  },
);

test.each(providers)(
  "$name gets a new tool last, after a message that names it, also when resumed",
  async (provider) => {
    const add = (_: string, home: string) => {
      writeFileSync(join(home, "tools/a-new-tool"), shellTool("a_new", "echo '{}'"), { mode: 0o755 });
      return {};
    };
    const requests = await conversationWith(provider, [nothing, nothing, add, nothing, nothing]);
    const names = requests.map(({ body }) =>
      [...JSON.stringify(body.tools).matchAll(/"name":"(\w+)"/g)].map(([, name]) => name),
    );
    const [first = []] = names;
    expect(names).toEqual([first, first, ...Array.from({ length: 3 }, () => [...first, "a_new"])]);
    expect(first.length).toBeGreaterThan(0);
    const texts = requests.map(
      ({ body }) => JSON.stringify(body).split("New tools that you can call: a_new.").length - 1,
    );
    expect(texts).toEqual([0, 0, 1, 1, 1]);
    expect(JSON.stringify(requests.at(-1)?.body)).not.toContain("no longer applies");
  },
);

/** What a provider caches, in its order, without the marks of what to cache. */
function inOrder({ body }: SeenRequest): string {
  const { tools, system, systemInstruction, instructions, messages, input, contents } = body as JsonObject;
  const marks = (key: string, value: unknown) => (key === "cache_control" ? undefined : value);
  return JSON.stringify([tools, system ?? systemInstruction ?? instructions, messages ?? input ?? contents], marks);
}

/** The length of the common beginning, without the brackets that end a list. */
function commonPrefix(before: string, text: string): number {
  let length = 0;
  while (length < before.length && before[length] === text[length]) length++;
  return length;
}
