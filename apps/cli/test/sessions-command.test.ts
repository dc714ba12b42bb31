// @module-tag sampled
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { noUsage } from "@ikigai/models";
import { type SessionEvent, startConversation } from "@ikigai/session";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";

const step: SessionEvent = {
  type: "step_end",
  model: "anthropic/claude-sonnet-4-5",
  finish: "stop",
  usage: { ...noUsage, inputTokens: 100_000, outputTokens: 1_000 },
};

/** A turn with one call. */
function turn(said: string, output: string, path?: string): SessionEvent[] {
  const result = JSON.stringify({ tool_success: true, result: { output } });
  return [
    { type: "user", text: said },
    { type: "tool_call", id: "c1", name: "bash", arguments: '{"command":"cat notes"}' },
    { ...step, finish: "tool_calls" } as SessionEvent,
    { type: "tool_result", id: "c1", name: "bash", json: result, durationMs: 5 },
    ...(path === undefined ? [] : [{ type: "changed", id: "c1", path, sha256: null } as const]),
    { type: "text", text: "It is done." },
    step,
    { type: "turn_end", reason: "done" },
  ];
}

interface World {
  readonly home: string;
  readonly ids: Readonly<Record<"budget" | "zebra" | "other", string>>;
  run(...args: string[]): ReturnType<typeof ikigai>;
  json(...args: string[]): Promise<Record<string, unknown>[]>;
}

async function world(): Promise<World> {
  const home = await tempDir();
  const cwd = await tempDir();
  const write = (project: string, events: readonly SessionEvent[]) => {
    const conversation = startConversation({ home, cwd: project });
    for (const event of events) conversation.log.append(event);
    conversation.log.close();
    return conversation.id;
  };
  const ids = {
    budget: write(
      cwd,
      turn("Please raise the Retry\nBudget of the client", 'three "retries"\nare left', join(cwd, "src/client.ts")),
    ),
    zebra: write("/elsewhere/app", turn("What does the zebra say?", "Größe: HÜH")),
    other: write("/elsewhere/app", [{ type: "user", text: "Hello" }]),
  };
  const run = (...args: string[]) =>
    ikigai(["sessions", ...args], { cwd, env: { IKIGAI_HOME: home, HOME: "/home/ada" } });
  const json = async (...args: string[]) => JSON.parse((await run(...args, "--json")).stdout);
  return { home, ids, run, json };
}

const idOf = (rows: readonly Record<string, unknown>[]) => rows.map(({ session_id: id }) => id);

test("lists the sessions of all projects with names, turns and costs", async () => {
  const { ids, json, run } = await world();
  const rows = await json("list");
  expect(new Set(idOf(rows))).toEqual(new Set(Object.values(ids)));
  expect(rows.find(({ session_id: id }) => id === ids.budget)).toMatchObject({
    name: "raise-retry-budget-client",
    turns: 1,
    model: "anthropic/claude-sonnet-4-5",
    cost_usd: expect.closeTo(0.63, 2),
  });
  expect(idOf(await json("--project", "/elsewhere"))).toHaveLength(2);
  expect((await run()).stdout).toBe((await run("list")).stdout);
  const { stdout } = await run("list", "--limit", "1");
  expect(stdout).toContain("and 2 more: --limit 3");
  expect(idOf(await json("list", "--project", "/elsewhere"))).toHaveLength(2);
  expect(idOf(await json("list", "--tool", "bash"))).toHaveLength(2);
  expect(idOf(await json("list", "--file", "src/client.ts"))).toEqual([ids.budget]);
  expect(idOf(await json("list", "--since", "1h"))).toHaveLength(3);
  expect((await run("list", "--since", "soon")).stderr).toContain("Expected --since to be like 7d");
});

test("finds words in messages, calls and results, whatever their case and white space", async () => {
  const { ids, json, run } = await world();
  expect(await json("search", "retry budget")).toMatchObject([{ session_id: ids.budget, where: "you" }]);
  expect(await json("search", '"retries" are')).toMatchObject([{ session_id: ids.budget, where: "bash" }]);
  expect(await json("search", "größe")).toMatchObject([{ session_id: ids.zebra }]);
  expect(idOf(await json("search", "zebra", "say"))).toEqual([ids.zebra]);
  expect(await json("search", "zebra", "budget")).toEqual([]);
  expect(idOf(await json("search", "cat notes", "--tool", "bash"))).toHaveLength(2);
  expect(await json("search", "zebra", "--tool", "bash")).toEqual([]);
  expect((await run("search", "nowhere at all")).exitCode).toBe(1);
  const { stdout } = await run("search", "BUDGET");
  expect(stdout).toContain("  you: Please raise the Retry Budget of the client\n");
});

test("searches a log that is being written, and writes a damaged index again", async () => {
  const { home, ids, json } = await world();
  const log = join(home, "sessions", `${ids.other}.jsonl`);
  appendFileSync(log, '{"seq":2,"time":"2026-11-29T10:00:00.000Z","type":"text","text":"an okapi"}\n{"seq":3,"ti');
  expect(idOf(await json("search", "okapi"))).toEqual([ids.other]);
  const filler = { seq: 9, time: "2026-11-29T10:00:00.000Z", type: "text", text: "x".repeat(2_000_000) };
  writeFileSync(log, `${readFileSync(log, "utf8").replace(/\{"seq":3.*$/, "")}${JSON.stringify(filler)}\n`);
  expect(idOf(await json("list"))).toHaveLength(3);
  const index = join(home, "cache/sessions.index");
  expect(existsSync(index)).toBe(true);
  writeFileSync(
    index,
    readFileSync(index, "latin1")
      .replace("raise-retry", "other-words")
      .replace(/"turns":1/, '"turns":7'),
    "latin1",
  );
  expect(await json("list", "--file", "src/client.ts")).toMatchObject([{ session_id: ids.budget, turns: 1 }]);
});

test("archives sessions, which search still finds, and deletes them", async () => {
  const { home, ids, json, run } = await world();
  expect((await run("archive", "says-zebra-nothing")).exitCode).toBe(1);
  expect((await run("archive", ids.zebra)).exitCode).toBe(0);
  expect(idOf(await json("list"))).toHaveLength(2);
  expect(idOf(await json("list", "--archived"))).toEqual([ids.zebra]);
  expect(await json("search", "zebra")).toMatchObject([{ archived: true }]);
  await run("archive", ids.zebra, "--restore");
  expect(idOf(await json("list"))).toHaveLength(3);
  expect((await run("delete", "zebra-say")).stderr).toContain("pass --yes");
  const { stdout } = await run("delete", "zebra-say", "--yes");
  expect(stdout).toContain("Deleted: 1 session.");
  expect(existsSync(join(home, "sessions", `${ids.zebra}.jsonl`))).toBe(false);
  expect(idOf(await json("list"))).toHaveLength(2);
});

test("shares a page without keys, home paths and hosts, and imports it", async () => {
  const { home, run, json } = await world();
  const key = `ghp_${"a1".repeat(18)}`;
  const conversation = startConversation({ home, cwd: "/home/ada/shop" });
  const said = `Log in to https://vault.corp.internal/x with ${key}, see /home/ada/shop/a.ts and https://github.com/x`;
  for (const event of turn(said, "password = hunter2hunter2")) conversation.log.append(event);
  conversation.log.append({ type: "name", name: "shop login" });
  conversation.log.close();
  const file = join(await tempDir(), "page.html");
  const refused = await run("share", "shop login", file);
  expect(refused).toMatchObject({ exitCode: 2 });
  const { stdout } = await run("share", "shop login", file, "--yes");
  expect(stdout).toContain("vault.corp.internal → host-1");
  const page = readFileSync(file, "utf8");
  for (const private_ of [key, "/home/ada", "vault.corp", "hunter2"]) expect(page).not.toContain(private_);
  expect(page).toContain("github.com");
  expect(page).toContain("~/shop/a.ts");
  const imported = await run("import", file);
  expect(imported.stdout).toContain("Imported as shop login");
  expect(await json("search", "host-1")).toMatchObject([{ name: "shop login", turns: 1 }]);
  const none = join(await tempDir(), "x.html");
  writeFileSync(none, "<html></html>");
  expect((await run("import", none)).stderr).toContain("This file has no session.");
});

test("exports a session as Markdown, HTML and JSON", async () => {
  const { ids, run } = await world();
  expect((await run("export", ids.budget)).stdout).toContain("It is done.");
  expect((await run("export", ids.budget, "--html")).stdout).toMatch(/^<!doctype html>/);
  const file = join(await tempDir(), "s.json");
  await run("export", ids.budget, file);
  expect((await run("import", file)).stdout).toContain("Imported as raise-retry-budget-client");
});

test("resumes a session by its name", async () => {
  const { home, run } = await world();
  const env = { IKIGAI_HOME: home };
  const { stdout, stderr } = await ikigai(["-p", "Hi", "--resume", "raise-retry-budget-client", "--model", "offline"], {
    env,
  });
  expect(`${stdout}${stderr}`).not.toContain("No session");
  expect((await run("list", "--json")).stdout).toContain('"turns":2');
});

test("adds up what sessions cost, by model, project and tool", async () => {
  const { home } = await world();
  const run = (...args: string[]) => ikigai(["cost", ...args], { env: { IKIGAI_HOME: home } });
  const json = async (...args: string[]) => JSON.parse((await run(...args, "--json")).stdout);
  const models = await json("--since", "7d");
  expect(models).toMatchObject([
    { of: "anthropic/claude-sonnet-4-5", input_tokens: 400_000, cost_usd: expect.closeTo(1.26, 2) },
  ]);
  const projects = await json("--by", "project");
  expect(projects.map(({ cost_usd: cost }: { cost_usd: number }) => cost.toFixed(2))).toEqual(["0.63", "0.63"]);
  expect(await json("--by", "tool")).toMatchObject([{ of: "bash", calls: 2 }]);
  expect((await run()).stdout).toMatch(/Since \d{4}-\d\d-\d\d: \$1\.26\n$/);
  expect((await run("--since", "2099-01-01")).stdout).toBe("Nothing was used in this time.\n");
});
