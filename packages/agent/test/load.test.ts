// @module-tag tables
import { join } from "node:path";
import { discover } from "@ikigai/core";
import {
  type Conversation,
  compactConversation,
  forkConversation,
  resumeConversation,
  rewindConversation,
  startConversation,
  userTurns,
} from "@ikigai/session";
import { type TreeEntry, tempDir } from "@ikigai/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { runTypedCall } from "../src/turn/record-call.ts";
import { runTurn } from "../src/turn/run-turn.ts";
import { noticesIn, shellTool } from "./agent-setup.ts";
import { registryOf, userTools } from "./many-tools.ts";
import { modelServer, type Reply } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";

const [anthropic] = providers;

/** Answers with the names in its arguments. */
const loadTool = shellTool(
  "load",
  `names=$(sed 's/.*"names": *\\(\\[[^]]*\\]\\).*/\\1/'); printf '{"output":"ok","introduces":%s}' "$names"`,
  { ikigai: { catalog: true } },
);

/** A user with a tool that loads others, and made-up tools besides. */
async function stage(count: number, files: Record<string, TreeEntry> = {}) {
  const home = await tempDir({ "tools/load-tool": { content: loadTool, mode: 0o755 }, ...files });
  const project = await tempDir();
  const found = await discover({
    directories: [{ path: join(home, "tools"), scope: "user" }],
    home,
    projectDir: project,
  });
  const registry = registryOf([...found.tools, ...userTools(count - found.tools.length)]);
  const conversation = startConversation({ home, cwd: project });
  onTestFinished(() => conversation.log.close());
  return { home, project, registry, conversation };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** Runs one turn, and returns the names of the tools of each request. */
async function turn(
  { home, project, registry }: Stage,
  conversation: Conversation,
  replies: Reply[],
  provider: (typeof providers)[number] = anthropic,
) {
  const server = await modelServer(...replies);
  const notices: string[] = [];
  const end = await runTurn(conversation, "go", {
    model: await modelOf(provider, server.url),
    prompt: { system: "You help." },
    currentRegistry: async () => registry,
    permission: { mode: "allow", rules: [], projectDir: project, home },
    emit: (event) => notices.push(...noticesIn([event])),
    patience: { firstRetryMs: 5, maxRetries: 1 },
  });
  const tools = server.requests.map(({ body }) => toolsIn(body).map(({ name }) => name));
  return { end, tools, notices, bytes: server.requests.map(({ body }) => JSON.stringify(toolsIn(body)).length) };
}

/** The tools of a request in any of the four formats. */
function toolsIn(body: object): { readonly name: string }[] {
  const { tools = [] } = body as { tools?: readonly Record<string, unknown>[] };
  return tools.flatMap((tool) => (tool.functionDeclarations ?? [tool.function ?? tool]) as { name: string }[]);
}

const loads = (...names: string[]): Reply => ({ calls: [{ name: "load", arguments: JSON.stringify({ names }) }] });
const done: Reply = { text: "ok" };

describe.each(providers)("with $name", (provider) => {
  test.each([6, 40, 41, 128, 129, 500, 5_000])(
    "sends what it should of %i tools, and then a loaded one",
    async (count) => {
      const world = await stage(count);
      const { tools, bytes, end } = await turn(world, world.conversation, [loads("t0001"), done], provider);
      expect(end.reason).toBe("done");
      const own = world.registry.tools.map(({ name }) => name).filter((name) => name !== "load");
      expect(tools).toEqual(count <= 40 ? [own, own] : [["load"], ["load", "t0001"]]);
      if (count > 40) expect(bytes[0]).toBeLessThan(16_384);
    },
  );
});

test("a resumed and a copied conversation have the same tools, a rewound one those of before", async () => {
  const world = await stage(100);
  const { home, project, conversation } = world;
  await turn(world, conversation, [loads("t0003", "t0001", "nowhere"), loads("t0001", "t0002"), done]);
  expect(conversation.introduced).toEqual(["t0003", "t0001", "t0002"]);
  await turn(world, conversation, [loads("t0009"), done]);
  const { conversation: copy } = forkConversation({ home, cwd: project, id: conversation.id });
  expect(copy.introduced).toEqual(["t0003", "t0001", "t0002", "t0009"]);
  copy.log.close();
  rewindConversation(conversation, userTurns(conversation)[1]?.seq ?? 0);
  expect(conversation.introduced).toEqual(["t0003", "t0001", "t0002"]);
  conversation.log.close();
  const { conversation: resumed } = resumeConversation({ home, cwd: project, id: conversation.id });
  expect((await turn(world, resumed, [done])).tools).toEqual([["load", "t0003", "t0001", "t0002"]]);
  resumed.log.close();
});

test("a summary keeps the loaded tools", async () => {
  const world = await stage(100);
  const { conversation } = world;
  await turn(world, conversation, [loads("t0003"), done]);
  const server = await modelServer({ text: "Summary." });
  const { signal } = new AbortController();
  await compactConversation(conversation, {
    model: await modelOf(anthropic, server.url),
    system: "",
    tools: [],
    signal,
  });
  expect((await turn(world, conversation, [done])).tools).toEqual([["load", "t0003"]]);
});

test("tells the user about names that no tool has", async () => {
  const world = await stage(100);
  const { notices } = await turn(world, world.conversation, [loads("t0001", "gone", "away"), done]);
  expect(notices).toContain('load named tools that do not exist: "gone", "away".');
});

test.each([
  [10, ""],
  [11, " and 1 more"],
])("tells it on one line, whatever the names are, and names at most 10 of %i", async (count, more) => {
  const world = await stage(100);
  const names = Array.from({ length: count }, (_, index) => `x\n${index}${"y".repeat(64)}`);
  const { notices } = await turn(world, world.conversation, [loads(...names), done]);
  const told = names.slice(0, 10).map((name) => JSON.stringify(name.slice(0, 64)));
  expect(notices).toContain(`load named tools that do not exist: ${told.join(", ")}${more}.`);
});

test("runs the call of a tool that is not loaded like any other", async () => {
  const world = await stage(60, {
    "tools/own-tool": { content: shellTool("own", "cat >/dev/null; echo '{}'"), mode: 0o755 },
  });
  const { tools } = await turn(world, world.conversation, [{ calls: [{ name: "own", arguments: "{}" }] }, done]);
  expect(tools).toEqual([["load"], ["load"]]);
  expect(world.conversation.messages.at(-2)).toMatchObject({
    role: "tool",
    json: expect.stringMatching(/"tool_success":true/),
  });
});

test("introduces nothing for a tool that does not declare it", async () => {
  const other = shellTool("other", `cat >/dev/null; echo '{"introduces":["t0001"]}'`);
  const world = await stage(60, { "tools/other-tool": { content: other, mode: 0o755 } });
  await turn(world, world.conversation, [{ calls: [{ name: "other", arguments: "{}" }] }, done]);
  expect(world.conversation.introduced).toEqual([]);
});

test("the user's own call introduces tools, too", async () => {
  const { home, project, registry, conversation } = await stage(60);
  const call = { name: "load", arguments: '{"names":["t0005"]}' };
  await runTypedCall(conversation, call, registry, { cwd: project, projectDir: project, sessionId: "s", callId: "c" });
  conversation.log.close();
  const { conversation: resumed } = resumeConversation({ home, cwd: project, id: conversation.id });
  expect(resumed.introduced).toEqual(["t0005"]);
  resumed.log.close();
});
