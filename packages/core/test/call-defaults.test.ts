import { expect, onTestFinished, test, vi } from "vitest";
import { callTool, execute, findTool, type RegisteredTool, spareTools } from "../src/index.ts";
import { schema, tool, world } from "./world.ts";

const telling = `read -r args
printf '{"cwd":"%s","project":"%s","session":"%s","call":"%s","ahead":"%s"}' \\
  "$PWD" "$IKIGAI_PROJECT_DIR" "$IKIGAI_SESSION_ID" "$IKIGAI_CALL_ID" "$IKIGAI_PRESTART"`;

async function tellingTool() {
  const { discover, root } = await world({
    "system/tell-tool": tool(schema("tell", { ikigai: { prestart: true } }), telling),
  });
  return { root, registry: await discover() };
}

test("uses this process's directory, one session and a new call id by default", async () => {
  const { root, registry } = await tellingTool();
  const here = process.cwd();
  const results = [];
  for (const options of [undefined, {}, { cwd: root }]) {
    const { envelope } = await callTool(registry, "tell", "{}", options);
    results.push(envelope.tool_success ? envelope.result : {});
  }
  expect(results).toMatchObject([
    { cwd: here, project: here },
    { cwd: here, project: here },
    { cwd: root, project: root },
  ]);
  expect(new Set(results.map(({ session }) => session)).size).toBe(1);
  expect(new Set(results.map(({ call }) => call)).size).toBe(3);
});

test("uses a spare process for the next call", async () => {
  const { registry } = await tellingTool();
  const found = findTool(registry, "tell") as RegisteredTool;
  const spares = spareTools();
  onTestFinished(() => spares.close());
  expect((await execute(found, "{}\n", { spares })).envelope).toMatchObject({ result: { ahead: "" } });
  await vi.waitFor(async () => {
    expect((await execute(found, "{}\n", { spares })).envelope).toMatchObject({ result: { ahead: "1" } });
  }, 50_000);
});
