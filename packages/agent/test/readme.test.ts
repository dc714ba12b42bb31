// @module-tag tables
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { systemSchema } from "../../permission/test/registered-tool.ts";
import { shellTool } from "./agent-setup.ts";
import { modelServer } from "./model-server.ts";
import { secret } from "./providers.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const [agentExample = "", queryExample = ""] = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, text]) => text ?? "");

test.each([
  ["createAgent", agentExample, "It has one file.", "It has one file."],
  ["query", queryExample, '{"files": 1}', "{ files: 1 }\n"],
])("runs the example of %s in the README", async (_, contents, answer, printed) => {
  const calls = [{ name: "bash", arguments: '{"command": "ls"}' }];
  const { url, requests } = await modelServer({ calls }, { text: answer });
  expect(await runExample(contents, url)).toEqual({ exitCode: 0, stdout: printed, stderr: "" });
  expect(JSON.stringify(requests[1]?.body.messages)).toContain("it ran");
});

test.each([
  ["createAgent", agentExample, "stderr"],
  ["query", queryExample, "stdout"],
] as const)("the example of %s reports a model that cannot be reached", async (_, contents, stream) => {
  const { exitCode, ...printed } = await runExample(contents, "http://127.0.0.1:9");
  expect([exitCode, printed[stream]]).toEqual([1, expect.stringContaining("Is the server running?")]);
});

test("the example of createAgent says what to set if there is no model", async () => {
  const { exitCode, stderr } = await runExample(agentExample, "", { OLLAMA_HOST: "http://127.0.0.1:9" });
  expect(stderr).toMatch(/^No model is set up: [^\n]* set ANTHROPIC_API_KEY [^\n]*\n$/);
  expect(exitCode).toBe(1);
});

/** Options, fields and events, which no entry point exports. */
const notExported = new Set(
  "contextWindow fallback firstByteTimeoutMs firstRetryMs idleTimeoutMs lastUse maxRetries maxRetryAfterMs ownModels readCode takeSteering".split(
    " ",
  ),
);

test("every building block is exported by the entry point that the README names", async () => {
  const section = readme.slice(readme.indexOf("### @ikigai/agent/internal")).replace(/\s+/g, " ");
  const entries: Readonly<Record<string, object>> = {
    internal: {
      ...(await import("../src/internal.ts")),
      ...(await import("../src/models.ts")),
      ...(await import("../src/permission.ts")),
      ...(await import("../src/session.ts")),
    },
    setup: await import("../src/setup.ts"),
    export: await import("../src/export.ts"),
  };
  const missing = section.split(/(?<=[.:]) /).flatMap((sentence) => {
    const [, entry = "internal"] = /\bof `@ikigai\/agent\/(\w+)`/i.exec(sentence) ?? [];
    const names = [...sentence.matchAll(/`([a-z]+[A-Z]\w*)`/g)].map(([, name = ""]) => name);
    return names.filter((name) => !notExported.has(name) && !(name in (entries[entry] ?? {})));
  });
  expect(missing).toEqual([]);
  expect(section).toContain("`saveRule`");
});

/** Bundles an example and runs it with a model at this URL, or with these variables. */
async function runExample(contents: string, url: string, variables?: Readonly<Record<string, string>>) {
  const home = await tempDir({
    "node_modules/.bin/bash-tool": shellTool(
      "bash",
      `echo '{"output": "it ran", "exit_code": 0}'`,
      systemSchema("bash"),
    ),
  });
  const resolveDir = fileURLToPath(new URL("../test", import.meta.url));
  const alias = { "@ikigai/agent": fileURLToPath(new URL("../src/index.ts", import.meta.url)) };
  const stdin = { contents, resolveDir, loader: "ts" as const };
  await build({
    stdin,
    alias,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    splitting: true,
    outdir: home,
    outExtension: { ".js": ".mjs" },
  });
  const keys = variables ?? { ANTHROPIC_API_KEY: secret, ANTHROPIC_BASE_URL: url };
  const libexec = join(home, "node_modules/.bin");
  const env = { PATH: process.env.PATH, IKIGAI_HOME: join(home, "home"), IKIGAI_LIBEXEC: libexec, ...keys };
  return new Promise<{ exitCode: number | null; stdout: string; stderr: string }>((settle) => {
    const child = execFile(process.execPath, [join(home, "stdin.mjs")], { cwd: home, env }, (_, stdout, stderr) =>
      settle({ exitCode: child.exitCode, stdout, stderr }),
    );
  });
}
