// @module-tag sampled
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { bin, cleanEnv } from "./ikigai.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const action = readFileSync(join(root, "action.yml"), "utf8");
const script = (/ {6}run: \|\n((?: {8}.*\n|\n)+)/.exec(action)?.[1] ?? "").replace(/^ {8}/gm, "");

interface Inputs {
  readonly prompt: string;
  readonly model?: string;
  readonly allow?: string;
  readonly schema?: string;
  readonly minutes?: string;
}

/** Runs the text of the action's step as a runner does, with `ikigai` on the PATH. */
async function run({ prompt, model = "offline", allow = "", schema = "", minutes = "" }: Inputs, files = {}) {
  const cwd = await tempDir({ "notes.txt": "alpha\n", ...files });
  const dir = await tempDir({
    ikigai: { content: `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, mode: 0o755 },
  });
  const outputs = join(dir, "outputs");
  const env = await cleanEnv();
  const { status, stderr } = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
    cwd,
    encoding: "utf8",
    env: {
      ...env,
      PATH: `${dir}:${dirname(process.execPath)}:${env.PATH}`,
      GITHUB_OUTPUT: outputs,
      TASK_PROMPT: prompt,
      TASK_MODEL: model,
      TASK_ALLOW: allow,
      TASK_SCHEMA: schema,
      TASK_COST: "",
      TASK_MINUTES: minutes,
    },
  });
  const found = readFileSync(outputs, "utf8").matchAll(/^([\w-]+)<<(end_[\w-]+)\n(.*?)\n\2\n/gms);
  return { status, stderr, cwd, outputs: Object.fromEntries([...found].map(([, name, , value]) => [name, value])) };
}

test("has the result and the session as outputs", async () => {
  const { status, outputs } = await run({ prompt: "read notes.txt" });
  expect(status).toBe(0);
  expect(outputs).toEqual({
    result: expect.stringContaining("alpha"),
    structured: "",
    "session-id": expect.stringMatching(/^\d{8}-/),
  });
});

test("ends at its limits", async () => {
  const { status, stderr } = await run({ prompt: "run sleep 60", allow: "bash", minutes: "0.05" });
  expect(status).toBe(1);
  expect(stderr).toContain("--max-minutes is 0.1 min");
});

test("allows only what its lines say", async () => {
  const prompt = "replace alpha with beta in notes.txt";
  const refused = await run({ prompt });
  expect(readFileSync(join(refused.cwd, "notes.txt"), "utf8")).toBe("alpha\n");
  expect(refused.stderr).toContain("--allow");
  const allowed = await run({ prompt, allow: "bash(npm test*)\r\n\nfile_edit\n" });
  expect(readFileSync(join(allowed.cwd, "notes.txt"), "utf8")).toBe("beta\n");
  const option = await run({ prompt, allow: "--permission-mode=allow" });
  expect({ status: option.status, text: readFileSync(join(option.cwd, "notes.txt"), "utf8") }).toEqual({
    status: 2,
    text: "alpha\n",
  });
});

test("takes a prompt as text, whatever it looks like", async () => {
  const prompt = '--permission-mode=allow "$(touch made)" `touch made`; touch made\nresult<<x\n';
  const { outputs, cwd, status } = await run({ prompt });
  expect(status).toBe(1);
  expect(Object.keys(outputs)).toEqual(["result", "structured", "session-id"]);
  expect(() => readFileSync(join(cwd, "made"))).toThrow();
});

test("has the answer that fits a schema, and fails if none does", async () => {
  const files = { "s.json": '{"type":"string"}' };
  const failed = await run({ prompt: "read notes.txt", schema: "s.json" }, files);
  expect(failed).toMatchObject({ status: 1, outputs: { structured: "" } });
  const text = await run({ prompt: "read notes.txt", schema: "s.json" }, { ...files, "notes.txt": '"alpha"\n' });
  expect(text).toMatchObject({ status: 0, outputs: { structured: '"alpha"' } });
});

test("the example in the README names only inputs of the action", () => {
  const page = readFileSync(join(root, "apps/cli/README.md"), "utf8");
  const [, example = ""] = /```yaml\n(.*?)```/s.exec(page) ?? [];
  const [, given = ""] = /with:\n(.*?)(?=\n {2}env:)/s.exec(example) ?? [];
  const names = [...given.matchAll(/^ {4}([\w-]+):/gm)].map(([, name]) => name);
  const [, inputs = ""] = /^inputs:\n(.*?)^outputs:/ms.exec(action) ?? [];
  const known = [...inputs.matchAll(/^ {2}([\w-]+):/gm)].map(([, name]) => name);
  expect(known).toEqual(["prompt", "model", "allow", "output-schema", "max-cost", "max-minutes", "version"]);
  expect(known).toEqual(expect.arrayContaining(names));
  expect(names.length).toBeGreaterThan(2);
});
