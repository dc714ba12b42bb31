// @module-tag sampled
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { call, isRunning, tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { exampleTools } from "./example-tools.ts";
import { ikigai, until } from "./ikigai.ts";

const { isMissing, path } = exampleTools.bash;
const shadowed = new URL("../libexec/ikigai/bash-tool", import.meta.url).pathname;

/** A home whose example tool overrides the shipped bash. */
async function home(): Promise<string> {
  return tempDir({ ".ikigai/tools/bash-tool": { link: await path() } });
}

async function callBash(args: object) {
  const { stdout } = await ikigai(["tool", "call", "bash", JSON.stringify(args)], { env: { HOME: await home() } });
  return JSON.parse(stdout);
}

describe.skipIf(isMissing)("the override of bash (needs python3)", () => {
  test("accepts the arguments that the shipped bash accepts", async () => {
    const schemas = await Promise.all([await path(), shadowed].map((bin) => call(bin, "", { args: ["--schema"] })));
    const [ours, theirs] = schemas.map(({ result }) => result);
    // What it does with them differs: it leaves no jobs.
    const withoutWords = (schema: unknown) =>
      JSON.parse(JSON.stringify(schema), (key, value) => (key === "description" ? undefined : value));
    expect(withoutWords(ours?.parameters)).toEqual(withoutWords(theirs?.parameters));
    expect(ours?.description).toEqual(theirs?.description);
    expect(ours?.annotations).toEqual(theirs?.annotations);
  });

  test("passes on every byte of a command, and its failure", async () => {
    const command = "printf 'é\\0\\n\\377'; echo oops >&2; exit 7";
    const [ours, theirs] = await Promise.all([
      callBash({ command }),
      ikigai(["tool", "call", "bash", JSON.stringify({ command })]),
    ]);
    expect(ours).toEqual(JSON.parse(theirs.stdout));
    expect(ours).toMatchObject({ result: { exit_code: 7 } });
  });

  test("keeps a command's own timeout, and its output until then", async () => {
    expect(await callBash({ command: "echo started; sleep 60", timeout_ms: 1_500 })).toMatchObject({
      error_code: "TOOL_TIMEOUT",
      stdout: expect.stringContaining("started"),
    });
  });

  test("does not stop a background command", async () => {
    const { result } = await callBash({ command: "echo up; sleep 60", background: true });
    expect(isRunning(result.pid)).toBe(true);
    await until(() => readFileSync(result.log, "utf8") === "up\n", "the log");
    process.kill(-result.pid, "SIGKILL");
  });

  test("stops its command when it is cancelled", async () => {
    const HOME = await home();
    const cwd = await tempDir();
    const file = join(cwd, "pid");
    const { stdout } = await ikigai(["tool", "call", "bash", '{"command":"echo $$ > pid; sleep 60"}'], {
      cwd,
      env: { HOME },
      async whileRunning({ kill }) {
        await until(() => existsSync(file) && readFileSync(file, "utf8") !== "", "the command");
        kill("SIGINT");
      },
    });
    expect(JSON.parse(stdout)).toMatchObject({ error_code: "TOOL_CANCELLED" });
    expect(isRunning(Number(readFileSync(file, "utf8")))).toBe(false);
  });

  test.each([
    ["rm -rf a", true],
    ["cd a && rm -r -f .", true],
    ["sudo rm --force -R a", true],
    ["rm -r a; tail -f b", false],
    ["rm -f a", false],
    ["git rm -r a", false],
    ["echo farm -rf", false],
  ])("judges %j: %j", async (command, isRefused) => {
    const env = { IKIGAI_SHADOWED_TOOL: join(await tempDir({ "echo-tool": "#!/bin/sh\nexec cat\n" }), "echo-tool") };
    const { result } = await call(await path(), { command }, { env: { ...env, IKIGAI_HOME: await tempDir() } });
    if (isRefused) expect(result).toMatchObject({ error_code: "REFUSED" });
    else expect(result).toEqual({ command });
  });

  test("reports that there is no tool to forward to", async () => {
    const { result } = await call(await path(), { command: "true" });
    expect(result).toMatchObject({ error_code: "NOTHING_TO_WRAP" });
  });

  test("says what to do if it is not the only wrapper", async () => {
    const IKIGAI_SHADOWED_TOOL = join(await tempDir({ "bash-tool": { link: await path() } }), "bash-tool");
    const env = { IKIGAI_SHADOWED_TOOL, IKIGAI_HOME: await tempDir() };
    const { result } = await call(await path(), { command: "true" }, { env });
    expect(result).toMatchObject({ error: expect.stringContaining("Only one wrapper of a tool works") });
  });

  test("does not pass IKIGAI_SHADOWED_TOOL on to the overridden tool", async () => {
    const dir = await tempDir({ "env-tool": '#!/bin/sh\nprintf \'{"set":"%s"}\' "$IKIGAI_SHADOWED_TOOL"\n' });
    const env = { IKIGAI_SHADOWED_TOOL: `${dir}/env-tool`, IKIGAI_PRESTART: "1", IKIGAI_HOME: dir };
    expect((await call(await path(), { command: "true" }, { env })).result).toEqual({ set: "" });
  });
});
