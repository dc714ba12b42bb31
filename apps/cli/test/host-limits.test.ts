// @module-tag sampled
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { acceptServers } from "../../../packages/mcp/src/conversation/conversation-servers.ts";
import { readList, writeList } from "../../../packages/mcp/src/conversation/load-server.ts";
import { renderOffer } from "../src/commands/mcp/show-server.ts";
import { rememberedModels, rememberedModelsOf, rememberModels } from "../src/host/model/remembered-models.ts";
import { readHistory, remember } from "../src/tui/app/history.ts";

const x = (length: number) => "x".repeat(length);
const count = (length: number) => Array.from({ length }, (_, n) => n);

const entry = { command: "true", args: [], env: {} };
const accepted = (length: number) => acceptServers(count(length).map((n) => ({ name: `s${n}`, entry })));

const facts = { era: "legacy", protocolVersion: "1", asksForRoots: false, hasResources: false } as const;
const list = { facts, tools: [], transport: "stdio" } as const;

/** Whether the history keeps all of two texts of together so many bytes. */
async function keepsHistory(bytes: number): Promise<boolean> {
  const home = await tempDir();
  const line = (text: string) => `${JSON.stringify({ cwd: "/", text })}\n`;
  const last = { cwd: "/", text: "last" };
  const first = x(bytes - line("").length - line(last.text).length);
  writeFileSync(join(home, "history.jsonl"), line(first), { mode: 0o600 });
  remember(home, last);
  return readHistory(home).length === 2;
}

test.each<[string, number, (size: number) => unknown]>([
  ["servers of a conversation", 32, (size) => accepted(size).servers.length === size],
  ["names of servers that are not used", 5, (size) => !accepted(32 + size).problems[0]?.includes(" more.")],
  [
    "characters of such a name",
    60,
    (size) => acceptServers([{ name: x(size), entry: { problem: "" } }]).problems[0]?.includes(`"${x(size)}"`),
  ],
  [
    "models of a server",
    500,
    async (size) => {
      const home = await tempDir();
      const names = count(size).map((n) => `openai/m${n}`);
      rememberModels(home, names, { config: {}, env: {} });
      return rememberedModelsOf("openai", home, { config: {}, env: {} }).length === size;
    },
  ],
  [
    "servers whose models are remembered",
    10,
    async (size) => {
      const home = await tempDir();
      for (const n of count(size)) rememberModels(home, [`p${n}/m`], { config: {}, env: {} });
      return rememberedModels(home).length === size;
    },
  ],
  [
    "characters of a text in the history",
    20_000,
    async (size) => {
      const home = await tempDir();
      remember(home, { cwd: "/", text: x(size) });
      return readHistory(home).length === 1;
    },
  ],
  ["bytes of the history", 2_097_152, keepsHistory],
  [
    "lists of servers",
    100,
    async (size) => {
      const home = await tempDir();
      for (const n of count(size)) writeList(join(home, `${n}.json`), { ...list, listedAt: "" });
      return readdirSync(home).length === size;
    },
  ],
  [
    "characters of a description when a server is added",
    72,
    (size) => {
      const listed = { name: "t", description: x(size), inputSchema: {} };
      const tool = { name: "t", line: "{}", listed, isResource: false, isHashed: false, isShortened: false };
      return renderOffer(facts, { tools: [tool], leftOut: [] }, "s", { isWhole: true, columns: undefined }).includes(
        x(size),
      );
    },
  ],
])("%s: %i, and not one more", async (_, most, fits) => {
  expect([await fits(most), await fits(most + 1)]).toEqual([true, false]);
});

test("the list of a server counts for a day", async () => {
  const path = join(await tempDir(), "list.json");
  const dayMs = 24 * 3_600_000;
  const isKnown = (ageMs: number) => {
    writeList(path, { ...list, listedAt: new Date(Date.now() - ageMs).toISOString() });
    return readList(path) !== undefined;
  };
  // The clock keeps running meanwhile.
  expect([isKnown(dayMs - 60_000), isKnown(dayMs)]).toEqual([true, false]);
});
