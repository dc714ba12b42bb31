import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findHooks, type Hook, runHook } from "../src/hooks.ts";
import { findTool, spareTools } from "../src/index.ts";
import { prepareCall } from "../src/internal.ts";
import { hookOptions, hookScript, hookWorld } from "./hook-files.ts";
import { circumstances, schema, world } from "./world.ts";

/** A part that no model can guess. */
const random = "\\d{10,}-[\\de-]{10,}";

function expectRandom(purpose: string, ids: readonly (string | undefined)[]): void {
  for (const id of ids) expect(id).toMatch(new RegExp(`^${purpose}-${random}$`));
  expect(new Set(ids).size).toBe(2);
}

// The end of a call kills every process with its ID, which the model chooses.
test("a model cannot guess the call ID of a hook", async () => {
  const made = await hookWorld({ "stop/audit": hookScript("cat > /dev/null", 'echo "$IKIGAI_CALL_ID"') });
  const [hook] = (await findHooks(made).find("stop")).hooks as [Hook];
  const runs = [await runHook(hook, "{}", hookOptions(made)), await runHook(hook, "{}", hookOptions(made))];
  expectRandom(
    "hook",
    runs.map(({ stdout }) => stdout.trim()),
  );
});

test("a model cannot guess the call ID of a waiting process", async () => {
  const { discover } = await world({ "system/wait-tool": schemaAnd("wait", "cat > /dev/null") });
  const waiting = findTool(await discover(), "wait");
  if (waiting === undefined) throw new Error("no tool");
  const options = await circumstances();
  const ids = [0, 1].map(() => {
    const spares = spareTools();
    onTestFinished(() => spares.close());
    spares.keep(waiting, options);
    const { callId, ahead } = prepareCall(waiting, "{}", { ...options, spares });
    ahead?.discard();
    return callId;
  });
  expectRandom("ahead", ids);
});

test("a model cannot guess the call ID of a tool that is asked for its schema", async () => {
  const { root, discover } = await world({
    "system/wait-tool": schemaAnd("wait", "cat > /dev/null"),
    "system/rest-tool": schemaAnd("rest", "cat > /dev/null"),
  });
  const env = { ...process.env, ID_FILE: join(root, "ids") };
  await discover({ env });
  expectRandom("schema", readFileSync(env.ID_FILE, "utf8").trim().split("\n"));
});

/** A tool that may wait, and that records its call ID when it is asked for its schema. */
function schemaAnd(name: string, body: string): string {
  const text = schema(name, { ikigai: { prestart: true } });
  return [
    "#!/bin/sh",
    'if [ "$1" = --schema ]; then',
    '  [ -z "$ID_FILE" ] || echo "$IKIGAI_CALL_ID" >> "$ID_FILE"',
    `  echo '${text}'; exit`,
    "fi",
    body,
    "",
  ].join("\n");
}
