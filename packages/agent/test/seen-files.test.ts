import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Ask } from "@ikigai/permission";
import { expect, test } from "vitest";
import type { AgentEvent } from "../src/turn/agent-event.ts";
import { agent, resultsIn } from "./agent-setup.ts";
import { modelServer } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";

/** The shipped tools in three lines: `a.txt` is read, replaced, edited. */
const tools = {
  file_read: `cat > /dev/null; echo '{"output":"x"}'`,
  file_write: `cat > /dev/null; printf new > a.txt; echo '{"output":"ok","bytes":3}'`,
  file_edit: `cat > /dev/null; printf edited > a.txt; echo '{"output":"ok","replacements":1}'`,
  bash: `cat > /dev/null; echo '{"output":"","exit_code":0}'`,
};

const call = (name: string, path = "a.txt") => ({
  calls: [{ id: name, name, arguments: JSON.stringify({ file_path: path, content: "new" }) }],
});

/** Between the two calls, the user saves the file. */
async function savedBetween(first: string, second: string, { path = "a.txt", ask }: { path?: string; ask?: Ask } = {}) {
  const one = await agent(tools, { "a.txt": "old" });
  if (ask) one.permission.mode = "ask";
  if (ask) one.permission.rules.push({ verdict: "allow", rule: first });
  const file = join(one.project, "a.txt");
  const server = await modelServer(call(first), call(second, path), call("file_read"), call(second), { text: "ok" });
  const texts: string[] = [];
  const emit = (event: AgentEvent) => {
    if (event.type !== "tool_result") return;
    texts.push(event.json);
    if (texts.length === 1) writeFileSync(file, "what the user saved");
    if (texts.length === 2) texts.push(readFileSync(file, "utf8"));
  };
  const { end } = await one.say(await modelOf(providers[0], server.url), "go", { emit, ...(ask && { ask }) });
  return { texts, end, content: readFileSync(file, "utf8") };
}

test.each(["file_read", "file_write", "file_edit"])(
  "after %s, file_write does not replace what the user saved since; after another read it does",
  async (first) => {
    const { texts, end, content } = await savedBetween(first, "file_write", { path: "./a.txt" });
    expect(texts[1]).toContain('"error_code":"TOOL_DENIED"');
    expect(texts[1]).toContain("Read the file again");
    expect(texts[2]).toBe("what the user saved");
    expect([end.text, content]).toEqual(["ok", "new"]);
  },
);

test.each([
  ["file_read", "file_edit"],
  ["bash", "file_write"],
])("after %s, %s is not prevented", async (first, second) => {
  const { texts } = await savedBetween(first, second);
  expect(texts[1]).toContain('"tool_success":true');
});

test("replaces an unchanged file without comment", async () => {
  const one = await agent(tools, { "a.txt": "old" });
  const steps = ["file_read", "file_write", "file_write", "file_edit", "file_write"].map((name) => call(name));
  const server = await modelServer(...steps, { text: "ok" });
  const { events } = await one.say(await modelOf(providers[0], server.url), "go");
  expect(resultsIn(events).map(({ envelope }) => envelope.tool_success)).toEqual(Array(5).fill(true));
});

test("notices a change that keeps the size", async () => {
  const one = await agent(tools, { "a.txt": "old" });
  const server = await modelServer(call("file_read"), { text: "ok" }, call("file_write"), { text: "ok" });
  const model = await modelOf(providers[0], server.url);
  await one.say(model, "go");
  const file = join(one.project, "a.txt");
  writeFileSync(file, "odd");
  utimesSync(file, 1, 1);
  const { events } = await one.say(model, "more");
  expect(resultsIn(events)[0]?.json).toContain("TOOL_DENIED");
  expect(readFileSync(file, "utf8")).toBe("odd");
});

test("says so in the question if there is one, and the answer decides", async () => {
  const reasons: string[] = [];
  const ask: Ask = async ({ reason }) => {
    reasons.push(reason);
    return { allow: true };
  };
  const { texts, content } = await savedBetween("file_read", "file_write", { ask });
  expect(reasons[0]).toContain("the file has changed on disk since the model last read or wrote it");
  expect([texts[1], content]).toEqual([expect.stringContaining('"tool_success":true'), "new"]);
});
