import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { loadConfig, privacyProblems, saveRule, secretsOf, systemPrompt } from "../src/index.ts";

async function load(config: unknown) {
  const text = typeof config === "string" ? config : JSON.stringify(config);
  return loadConfig(await tempDir({ "config.json": text }));
}

test("reads what there is to set", async () => {
  const { config, problems } = await load({
    model: "anthropic/claude-sonnet-5-5",
    providers: { anthropic: { apiKey: "k", baseUrl: "http://h" } },
    permission: { mode: "allow", rules: [{ allow: "bash(git status*)" }, { deny: "bash(rm *)" }] },
    tools: { bash: { timeoutMs: 60_000 } },
    patience: { maxRetries: 0, pingsCount: true },
    maxSteps: 20,
  });
  expect(problems).toEqual([]);
  expect(config.permission).toEqual({
    mode: "allow",
    rules: [
      { verdict: "allow", rule: "bash(git status*)" },
      { verdict: "deny", rule: "bash(rm *)" },
    ],
  });
  expect(config.tools).toEqual({ bash: { timeoutMs: 60_000 } });
});

test.each([
  [{ modle: "x" }, "modle", 'There is no setting "modle". Known here: model, providers'],
  [{ model: 5 }, "model", 'Expected "model" to be a text like "anthropic/claude-sonnet-5-5", got 5. It is ignored.'],
  [{ permission: { mode: "yolo" } }, "permission.mode", '"ask" or "edits" or "plan" or "allow" or "deny", got "yolo"'],
  [{ permission: { rules: [{ allow: "bash(" }] } }, "permission.rules[0]", '"tool" or "tool(pattern)"'],
  [{ permission: { rules: [{ may: "bash" }] } }, "permission.rules[0]", '"allow" | "ask" | "deny"'],
  [{ tools: { bash: { timeoutMs: "2s" } } }, "tools.bash.timeoutMs", 'a whole number of at least 1, got "2s"'],
  [{ providers: { openapi: {} } }, "providers.openapi", "Known here: anthropic, openai, google, openai-compatible"],
  [[], undefined, "Expected the file to be an object, got []"],
  ['{"model": ', undefined, "is not JSON"],
  [" ".repeat(2_000_000), undefined, "cannot be read: "],
])("%.60j is a problem, and what is right still counts", async (wrong, key, message) => {
  const { config, problems } = await load(
    Array.isArray(wrong) || typeof wrong === "string" ? wrong : { maxSteps: 7, ...wrong },
  );
  expect(problems).toHaveLength(1);
  expect(problems[0]?.key).toBe(key);
  expect(problems[0]?.message).toContain(message);
  if (key) expect(config.maxSteps).toBe(7);
});

test("a byte order mark is no problem", async () => {
  expect(await load('\ufeff{"maxSteps": 7}\n')).toMatchObject({ config: { maxSteps: 7 }, problems: [] });
});

test("a key is not quoted when something is wrong with it", async () => {
  for (const text of [
    '{"providers": {"openai": {"apiKey": "sk-hidden" "x"}}}',
    '{"providers":{"openai":{"apiKey":["sk-hidden"]}}}',
  ]) {
    expect(JSON.stringify((await load(text)).problems)).not.toContain("sk-hidden");
  }
});

test("no file, or one that is no file, is no configuration", async () => {
  const home = await tempDir({ "dir/config.json/": "" });
  execFileSync("mkfifo", [join(home, "config.json")]);
  for (const place of [home, join(home, "dir"), "/nope"]) expect(loadConfig(place).config).toEqual({});
});

test("a rule is added before the others, and the rest stays", async () => {
  const home = await tempDir({
    "config.json": '{"model":"x/y","permission":{"mode":"ask","rules":[{"deny":"bash(rm *)"}]},"later":1}',
  });
  saveRule(home, { verdict: "allow", rule: "bash(npm test)" });
  expect(JSON.parse(readFileSync(join(home, "config.json"), "utf8"))).toEqual({
    model: "x/y",
    permission: { mode: "ask", rules: [{ allow: "bash(npm test)" }, { deny: "bash(rm *)" }] },
    later: 1,
  });
  expect(statSync(join(home, "config.json")).mode & 0o777).toBe(0o600);
  const fresh = join(await tempDir(), "new");
  saveRule(fresh, { verdict: "allow", rule: "weather" });
  expect(loadConfig(fresh).config.permission?.rules).toEqual([{ verdict: "allow", rule: "weather" }]);
});

test.each([
  ["{broken", "is not JSON"],
  ["[1]", "is no JSON object"],
  ["null", "is no JSON object"],
  [" ".repeat(2_000_000), "is longer than 1048576 bytes"],
])("a configuration that is none is not overwritten: %.10s", async (text, why) => {
  const home = await tempDir({ "config.json": text });
  expect(() => saveRule(home, { verdict: "allow", rule: "weather" })).toThrow(`config.json ${why}`);
  expect(readFileSync(join(home, "config.json"), "utf8")).toBe(text);
});

test("files that others can read are named", async () => {
  const home = await tempDir({
    "config.json": { content: "{}", mode: 0o644 },
    "sessions/a.jsonl": { content: "", mode: 0o600 },
  });
  execFileSync("chmod", ["755", home]);
  execFileSync("chmod", ["700", join(home, "sessions")]);
  expect(privacyProblems(home)).toEqual([
    `${join(home, "config.json")} is open to others (mode 644): chmod 600 ${join(home, "config.json")}`,
  ]);
  execFileSync("chmod", ["777", home]);
  expect(privacyProblems(home)[0]).toBe(`${home} is open to others (mode 777): chmod 755 ${home}`);
});

test("knows every key there is", () => {
  const config = { providers: { openai: { apiKey: "from-config", baseUrl: "http://u:pass-word@h" } } };
  expect(secretsOf(config, { GEMINI_API_KEY: "from-env", OTHER: "x" }).sort()).toEqual([
    "from-config",
    "from-env",
    "pass-word",
  ]);
});

test("the prompt has the project's instructions, cut to size, from files inside the project only", async () => {
  const date = new Date("2026-01-02T03:04:05Z");
  const prompt = async (files: Parameters<typeof tempDir>[0]) =>
    systemPrompt({ cwd: await tempDir(files), date, platform: "linux" });
  const both = await prompt({ "AGENTS.md": "Use tabs.", "CLAUDE.md": "Use spaces." });
  for (const text of ["Use tabs.", "Date: 2026-01-02", "Platform: linux"]) expect(both).toContain(text);
  expect(both).not.toContain("Use spaces.");
  expect(await prompt({ "CLAUDE.md": "Use spaces." })).toContain("Use spaces.");
  expect(await prompt({ "AGENTS.md": { link: "CLAUDE.md" }, "CLAUDE.md": "Use spaces." })).toContain("Use spaces.");
  expect(await prompt({ "AGENTS.md": { link: "/etc/passwd" } })).not.toContain("root:");
  expect(await prompt({ "AGENTS.md/": "" })).not.toContain("AGENTS.md");
  const long = await prompt({ "AGENTS.md": "x".repeat(100_000) });
  expect(long.length).toBeLessThan(40_000);
  expect(long).toContain("is left out");
});
