import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { alone, ikigai, until } from "./ikigai.ts";
import { startModel } from "./model-server.ts";

test("tells what is there, and that all is well", async () => {
  const [HOME, TMPDIR] = [await tempDir(), await tempDir()];
  const { exitCode, stdout, stderr } = await ikigai(["doctor"], { env: { HOME, TMPDIR }, launcher: alone });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toContain(`  Node ${process.versions.node}, ${process.platform} `);
  expect(stdout).toMatch(/^Tools: 6\n {2}bash \(system\) /m);
  expect(stdout).toContain("  anthropic: key missing (ANTHROPIC_API_KEY)\n");
  expect(stdout).toContain("  ~/.ikigai/config.json (not there)\n");
  expect(stdout).toMatch(/\nAll is well\.\n$/);
});

test("tells what is broken, and never a key", async () => {
  const key = "sk-very-secret-key";
  const HOME = await tempDir({
    ".ikigai/tools/slow-tool": "#!/bin/sh\nsleep 9\n",
    ".ikigai/tools/bash-tool": `#!/bin/sh\necho '{"name":"other","description":"","parameters":{"type":"object","properties":{}}}'\n`,
    ".ikigai/config.json": JSON.stringify({
      mdoel: "x",
      providers: { openai: { apiKey: key } },
      tools: { bash: { timeoutMs: 60_000 } },
    }),
  });
  chmodSync(join(HOME, ".ikigai"), 0o777);
  const env = { HOME, ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: `http://me:${key}@127.0.0.1:9/v1` };
  const { exitCode, stdout } = await ikigai(["doctor"], { env });
  expect(exitCode).toBe(1);
  expect(stdout).not.toContain(key);
  expect(stdout).toContain("! slow ~/.ikigai/tools/slow-tool: timeout: ");
  expect(stdout).toMatch(
    / {2}bash \(user\) ~\/\.ikigai\/tools\/bash-tool, overrides .*libexec\/ikigai\/bash-tool\n! bash: /,
  );
  expect(stdout).toContain("  anthropic: key from ANTHROPIC_API_KEY\n  anthropic: at http://127.0.0.1:9/v1\n");
  expect(stdout).toContain("  openai: key from the configuration\n");
  expect(stdout).toMatch(/^! .*mdoel/m);
  expect(stdout).toContain("  bash: 1 min 0 s, by the configuration\n");
  expect(stdout).toMatch(/^! .*\/\.ikigai .*chmod 7\d\d/m);
  expect(stdout).toMatch(/\n\d to mend: the lines that begin with "!"\.\n$/);
});

test.each([
  [{}, {}, "that of a running Ollama, else offline/plain-requests, as none is configured"],
  [
    { OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9" },
    {},
    "the first that openai-compatible offers, as none is configured",
  ],
  [
    { GEMINI_API_KEY: "k", OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:9" },
    {},
    /^google\/\S+, as none is configured$/,
  ],
  [{ GEMINI_API_KEY: "k" }, { model: "openai-compatible/m" }, "openai-compatible/m"],
])("with %j and %j it tells which model is talked to", async (env, config, expected) => {
  const HOME = await tempDir({ ".ikigai/config.json": JSON.stringify(config) });
  const { stdout } = await ikigai(["doctor"], { env: { HOME, ...env } });
  const told = /^ {2}model: (.*)$/m.exec(stdout)?.[1];
  if (typeof expected === "string") expect(told).toBe(expected);
  else expect(told).toMatch(expected);
});

test("says where nothing can be saved, and leaves nothing there itself", async () => {
  const HOME = await tempDir({ ".ikigai/": "" });
  const TMPDIR = await tempDir();
  const { stdout } = await ikigai(["doctor"], { env: { HOME, TMPDIR } });
  expect(stdout).toMatch(/^Disk\n {2}~\/\.ikigai: [\d.]+ [MG]B free\n {2}\S+: [\d.]+ [MG]B free\n/m);
  expect(readdirSync(TMPDIR)).toEqual([]);
  expect(readdirSync(join(HOME, ".ikigai"))).not.toContainEqual(expect.stringContaining("doctor"));
  writeFileSync(join(TMPDIR, "file"), "");
  const { exitCode, stdout: told } = await ikigai(["doctor"], { env: { HOME, TMPDIR: join(TMPDIR, "file") } });
  expect(exitCode).toBe(1);
  expect(told).toMatch(/^! \S+\/file: nothing can be saved there: /m);
});

/** Answers more than a model takes. */
const flood = `#!/bin/sh
[ "$1" = --schema ] && echo '{"name":"flood","description":"","parameters":{"type":"object","properties":{}}}' && exit
printf '{"output":"%s"}' "$(head -c 200000 /dev/zero | tr '\\0' x)"
`;

test("what a living session has put aside is no leftover", async () => {
  const HOME = await tempDir({ ".ikigai/tools/flood-tool": flood });
  chmodSync(join(HOME, ".ikigai/tools/flood-tool"), 0o755);
  const TMPDIR = await tempDir();
  const { env, requests } = await startModel([{ calls: [{ name: "flood", arguments: {} }] }, { hangs: true }]);
  const doctor = () => ikigai(["doctor"], { env: { HOME, TMPDIR } });
  await ikigai(["-p", "go", "--model", "openai-compatible/m", "--allow", "flood"], {
    env: { ...env, HOME, TMPDIR },
    async whileRunning({ kill }) {
      await until(() => requests.length === 2, "the second request");
      expect(readdirSync(TMPDIR)).toEqual([expect.stringMatching(/^ikigai-/)]);
      expect((await doctor()).stdout).not.toContain("can be removed");
      kill("SIGKILL");
    },
  });
  expect((await doctor()).stdout).toMatch(/^ {2}can be removed: \S*\/ikigai-\d+-/m);
});

test("a FIFO in the place of a file keeps nobody waiting", async () => {
  const cwd = await tempDir({ "project/": "", "home/.ikigai/cache/": "" });
  const paths = ["project/.git", "home/.ikigai/trust.json", "home/.ikigai/cache/schemas.json"];
  execFileSync("mkfifo", paths, { cwd });
  const { stdout } = await ikigai(["doctor"], { cwd: `${cwd}/project`, env: { HOME: `${cwd}/home` } });
  expect(stdout).toContain("Tools: 6\n");
});
