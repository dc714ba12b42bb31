// Promises 1, 6 and 7 of SECURITY.md.
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { secretsOf } from "@ikigai/models";
import { startConversation } from "@ikigai/session";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { privacyProblems } from "../src/agent/privacy-problems.ts";
import { ConfigError } from "../src/config/config.ts";
import { pathPattern } from "../src/config/config-shape.ts";
import { loadConfig, readConfig, renderConfigProblem } from "../src/internal.ts";
import { configSchema } from "../src/setup.ts";
import { promptParts, promptText } from "../src/turn/system-prompt.ts";

async function read(config: unknown) {
  const text = typeof config === "string" ? config : JSON.stringify(config);
  return readConfig(await tempDir({ "config.json": { content: text, mode: 0o600 } }));
}

test("reads every setting", async () => {
  const { config, problems } = await read({
    $schema: "https://example.org/schema.json",
    model: "anthropic/claude-sonnet-5-5",
    providers: { anthropic: { apiKey: "k", baseUrl: "http://h" } },
    permission: {
      mode: "allow",
      rules: [{ allow: "bash(git status*)" }, { deny: "bash(rm *)", matches: ["rm -r x"], not: ["ls"] }],
      readOnlyCommands: false,
    },
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
    readOnlyCommands: false,
  });
  expect(config.tools).toEqual({ bash: { timeoutMs: 60_000 } });
});

test.each([
  [
    { modle: "x" },
    "modle",
    'Unknown setting "modle". Did you mean "model"? Known settings here: model, models, providers',
  ],
  [
    { screen: { foo: 1 } },
    "screen.foo",
    "Known settings here: theme, bell, notify, progress, status, motion, links, full, title. It is ignored.",
  ],
  [{ model: 5 }, "model", 'Expected "model" to be a string like "anthropic/claude-sonnet-5-5", got 5. It is ignored.'],
  [{ maxSteps: "9" }, "maxSteps", 'Expected "maxSteps" to be a whole number of at least 1, got "9". It is ignored.'],
  [
    { providers: { openapi: {} } },
    "providers.openapi",
    "Known settings here: anthropic, openai, google, openai-compatible",
  ],
  [
    { screen: { theme: "../pink" } },
    "screen.theme",
    'a string like "high-contrast-dark", got "../pink". It is ignored.',
  ],
  ['{"model": "a/b", "model": "c/d"}', "model", '"model" is set twice. Remove one.'],
])("warns about %j and keeps the valid settings", async (wrong, key, message) => {
  const config = typeof wrong === "string" ? wrong : { patience: { maxRetries: 7 }, ...wrong };
  const { config: known, problems, path } = await read(config);
  expect(problems).toMatchObject([{ path, key, message: expect.stringContaining(message), isFatal: false }]);
  if (typeof wrong !== "string") expect(known.patience).toEqual({ maxRetries: 7 });
  else expect(known.model).toBe("a/b");
});

const ruleForm = '{ "allow" | "ask" | "deny": "tool" or "tool(pattern)" }';

test.each([
  ['{"sandbox":{"enabled":"true"}}', "1:23", 'Expected "sandbox.enabled" to be true or false, got "true".'],
  ['{"sandbox":{"enable":true}}', "1:13", 'Unknown setting "sandbox.enable". Did you mean "enabled"?'],
  ['{"sandbox":true}', "1:12", 'Expected "sandbox" to be an object, got true.'],
  ['{"sandbox":null}', "1:12", 'Expected "sandbox" to be an object, got null.'],
  ['{"sandbox":{"hidden":["~/x",""]}}', "1:22", 'Expected "sandbox.hidden" to be a list like ["~/builds"]'],
  [
    '{"sandbox":{"hidden":["f"]}}',
    "1:23",
    '"sandbox.hidden[0]" to be a path that begins with / or ~/ and has no $, * or ?',
  ],
  ['{"sandbox":{"hidden":["~/a","./f"]}}', "1:29", '(they are not expanded), got "./f".'],
  ['{"sandbox":{"hidden":["$HOME/private"]}}', "1:23", "sandbox.hidden[0]"],
  ['{"sandbox":{"hidden":["/home/$USER/x"]}}', "1:23", "sandbox.hidden[0]"],
  ['{"sandbox":{"hidden":["~/*.secret"]}}', "1:23", "sandbox.hidden[0]"],
  ['{"sandbox":{"hidden":["~other/x"]}}', "1:23", "sandbox.hidden[0]"],
  ['{"sandbox":{"writable":["cache"]}}', "1:25", "sandbox.writable[0]"],
  ['{"sandbox":{"readable":[".npmrc"]}}', "1:25", "sandbox.readable[0]"],
  ['{"sandbox":{"writable":["/a","/"]}}', "1:30", '"sandbox.writable[1]" to be a path below /, got "/": the'],
  ['{"sandbox":{"readable":["/"]}}', "1:25", 'below /, got "/": the sandbox shows the disk anyway'],
  ['{"sandbox":{"hidden":["~/a","/."]}}', "1:29", 'below /, got "/.", which is /: no tool can start'],
  ...["//", "/./", "/tmp/..", "/missing/..", "~/../../../../../../..", "/proc/self/root"].map(
    (path): [string, string, string] => [
      ...([`{"sandbox":{"writable":["${path}"]}}`, "1:25"] as const),
      `below /, got "${path}", which is /: the sandbox cannot`,
    ],
  ),
  ['{"sandbox":{},\n "sandbox":{"enabled":true}}', "2:2", '"sandbox" is set twice.'],
  ['{"permissions":{"rules":[]}}', "1:2", 'Unknown setting "permissions". Did you mean "permission"?'],
  [
    '{"permission": {"mode": "yolo"}}',
    "1:25",
    '"ask" or "edits" or "auto" or "plan" or "allow" or "deny", got "yolo".',
  ],
  ['{"permission":{"rules":[{"allow":"a"},{"deny":"bash(rm *"}]}}', "1:57", '"bash(rm *" is not a rule: Missing ")"'],
  ['{"permission":{"rules":[{"may":"bash"}]}}', "1:25", ruleForm],
  ['{"permission":{"rules":[{"deny":["bash"]}]}}', "1:25", ruleForm],
  ['{"permission":{"rules":[{"deny":"bash","allow":"x"}]}}', "1:25", ruleForm],
  ['{"permission":{"rules":[{"not":["x"]}]}}', "1:25", ruleForm],
  ['{"permission":{"rules":[{"allow":"bash(x)","not":"y"}]}}', "1:50", 'to be a list like ["git push --force"]'],
  [
    '{"permission":{"rules":[{"allow":"bash(git push *)",\n"not":["git push --receive-pack=x","git push -f"]}]}}',
    "2:36",
    'bash(git push *) matches "git push -f", an example in "not". Change the rule or the example.',
  ],
  [
    '{"permission":{"rules":[\n{"matches":["sudo x","su"],"deny":"bash(sudo *)"}]}}',
    "2:22",
    'bash(sudo *) does not match "su", an example in "matches".',
  ],
  ['{"permission":{"rules":[{"deny":"file_edit(x)","not":["y"]}]}}', "1:55", "it is only for rules about bash"],
  ['{"permission":{"rules":{"deny":"bash"}}}', "1:24", 'a list like [{ "allow": "bash(npm test)" }]'],
  ['{"tools":{"bash":{"timeoutMs":"2s"}}}', "1:31", 'a whole number of at least 1, got "2s".'],
  ['{"tools":{"bash":{"sandboxed":true}}}', "1:19", 'Unknown setting "tools.bash.sandboxed".'],
  ['{"tools":{"bash":{"launcher":[]}}}', "1:30", 'Expected "tools.bash.launcher" to be a list like'],
  [
    '{"tools":{"bash":{"path":"/opt/bash-tool"}}}',
    "1:19",
    '"tools.bash.path" has no effect without "tools.bash.launcher".',
  ],
  ['{"tools":{"bash":{"directory":"/work"}}}', "1:19", '"tools.bash.directory" has no effect without'],
  ['{"tools":{"bash":{"remoteShell":true}}}', "1:19", '"tools.bash.remoteShell" has no effect without'],
  ...["fish", "bin/zsh", "/usr/bin/pwsh", "/usr/bin/fish "].map((path): [string, string, string] => [
    `{"tools":{"bash":{"shell":"${path}"}}}`,
    "1:19",
    `Expected "tools.bash.shell" to be the absolute path of bash, sh, dash, zsh or fish, got "${path}".`,
  ]),
  [
    '{"tools":{"file_*":{"launcher":["ssh","a"]}}}',
    "1:21",
    '"tools.file_*.launcher" is for one tool. Write its name instead of the pattern.',
  ],
  ['{"tools":{"file-read":{"launcher":["ssh","a"]}}}', "1:24", '"file-read" is not a tool name'],
  ["[]", "1:1", "Expected the file to be an object, got []."],
  ['"x"', "1:1", 'Expected the file to be an object, got "x".'],
  ['{"model": ', "1:11", "Expected a value."],
  ['{"model": "a/b"', "1:16", "Expected a closing brace }."],
  ['{"model": "a/b" "x": 1}', "1:17", "Expected a comma before this."],
  ['{\n  "model": "a/b",\n  sandbox: {}\n}', "3:3", "Expected a value, got an unknown word."],
  ['{"model": "a\nb"}', "1:11", "Unterminated string"],
  ['{"model": "a\\qb"}', "1:11", "Invalid escape sequence."],
  ["{} {}", "1:4", "Expected the end of the file."],
  ["{ /* }", "1:3", "Unterminated comment"],
])("refuses %s", async (text, place, message) => {
  const home = await tempDir({ "config.json": { content: text, mode: 0o600 } });
  const { problems, path } = readConfig(home);
  const [line, column] = place.split(":").map(Number);
  expect(problems[0]).toMatchObject({ path, isFatal: true, place: { line, column } });
  expect(problems[0]?.message).toContain(message);
  const [excerpt = "", caret = ""] = problems[0]?.place?.excerpt.split("\n") ?? [];
  expect(excerpt).toBe(text.split("\n")[Number(line) - 1]?.trimEnd());
  expect(caret).toBe(`${" ".repeat(Number(column) - 1)}^`);
  expect(() => loadConfig(home)).toThrow(ConfigError);
  expect(() => loadConfig(home)).toThrow(`${path}:${place}: `);
});

test.each([
  [60, 40],
  [74, 10],
  [74, 60],
  [75, 5],
  [75, 60],
  [400, 9],
  [400, 200],
  [400, 398],
])(
  "shows a part of a line of %i characters that fits a screen, with the caret below character %i",
  async (length, at) => {
    const text = `${'"'.padStart(at)}`.padEnd(length, "x");
    const { problems } = await read(text);
    const [{ place } = { place: undefined }] = problems;
    const [excerpt = "", caret = ""] = place?.excerpt.split("\n") ?? [];
    expect(excerpt.length).toBeLessThanOrEqual(76);
    expect(place?.column).toBe(at);
    expect(excerpt.indexOf('"')).toBe(caret.length - 1);
    expect(excerpt.startsWith("…") || excerpt.endsWith("…")).toBe(length > 74);
  },
);

test("reads comments, trailing commas and a byte order mark", async () => {
  const text = '\ufeff// mine\n{ "maxSteps": 7, /* no more */ "sandbox": { "enabled": true, }, }\n';
  expect(await read(text)).toMatchObject({ config: { maxSteps: 7, sandbox: { enabled: true } }, problems: [] });
  for (const empty of ["", " \n", "// nothing yet\n"])
    expect(await read(empty)).toMatchObject({ config: {}, problems: [] });
});

test("refuses a file that is nested without end", async () => {
  const { problems } = await read("[".repeat(200_000));
  expect(problems).toMatchObject([{ isFatal: true }]);
});

test.each([
  '{"providers": {"openai": {"apiKey": "sk-hidden" "x"}}}',
  '{"providers":{"openai":{"apiKey":["sk-hidden"]}}}',
  '{"providers":{"openai":{"apiKey":"sk-hidden}}}',
  '{"providers":{"openai":{"apiKey":sk-hidden}}}',
  '{"providers":{"openai":{apiKey:"sk-hidden"}}}',
  '{"providers":{"openai":{"sk-hidden":1}}} // sk-hidden',
  '{"modle":"sk-hidden","providers":{"sk-hidden":1},"apiKeys":{"sk-hidden":1}}',
  '{/* sk-hidden */ "sandbox":{"enabled":"yes"},"providers":{"openai":{"apiKey":"sk-hidden"}}}',
])("does not quote a key near an error: %s", async (text) => {
  const { problems } = await read(text);
  expect(problems.length).toBeGreaterThan(0);
  const shown = problems.filter(({ key }) => !key?.includes("sk-hidden")).map(renderConfigProblem);
  expect(shown.join("\n")).not.toContain("sk-hidden");
  for (const { place } of problems) expect(place?.excerpt).not.toContain("sk-hidden");
});

test("accepts absolute paths and paths below home for the sandbox", async () => {
  const sandbox = { hidden: ["~", "~/a b", "/etc/x", "~/[id]"], writable: ["~", "/home", "/tmp"], readable: ["/etc"] };
  expect(await read({ sandbox })).toMatchObject({ config: { sandbox }, problems: [] });
  const hidden = { items: { type: "string", pattern: pathPattern.source } };
  expect(configSchema()).toMatchObject({ properties: { sandbox: { properties: { hidden } } } });
});

test("has every setting in the schema for editors, most with a description", () => {
  const schema = JSON.stringify(configSchema());
  for (const name of ["$schema", "readOnlyCommands", "openai-compatible", "firstByteTimeoutMs", "launcher", "hidden"])
    expect(schema).toContain(`"${name}":`);
  expect(configSchema()).toMatchObject({ type: "object", additionalProperties: false, allowComments: true });
});

test("names the private files that others can read, and config.json only when it holds a key", async () => {
  const home = await tempDir({
    "config.json": { content: "{}", mode: 0o644 },
    "sessions/a.jsonl": { content: "", mode: 0o644 },
  });
  chmodSync(home, 0o755);
  chmodSync(join(home, "sessions"), 0o700);
  const session = `Other users can access ${join(home, "sessions/a.jsonl")} (mode 644). Run: chmod 600 ${join(home, "sessions/a.jsonl")}`;
  expect(privacyProblems(home)).toEqual([session]);
  writeFileSync(join(home, "config.json"), '{"providers":{"openai":{"apiKey":"k"}}}');
  expect(privacyProblems(home)).toEqual([
    session,
    `Other users can access ${join(home, "config.json")} (mode 644). Run: chmod 600 ${join(home, "config.json")}`,
  ]);
});

test("does not advise a mode for a config.json that is a directory", async () => {
  const home = await tempDir({ "config.json/": "" });
  for (const path of [home, join(home, "config.json")]) chmodSync(path, 0o755);
  expect(privacyProblems(home)).toEqual([]);
});

test("says that the place of the sessions is a file, not which mode it should have", async () => {
  const home = await tempDir({ sessions: { content: "", mode: 0o644 } });
  chmodSync(home, 0o700);
  const path = join(home, "sessions");
  expect(privacyProblems(home)).toEqual([
    `${path} is not a directory. Move it away, so that ikigai can create the directory.`,
  ]);
  expect(startConversation({ home, cwd: home }).log.problem).toBe(
    `This session is not being saved: ${path} is not a directory; move it away, so that ikigai can create it.`,
  );
});

test("lets others list the user's directory, but neither write to it nor read data and history", async () => {
  const home = await tempDir({ "tools/": "", "data/": "", "history.jsonl": { content: "", mode: 0o600 } });
  for (const [path, mode] of [
    ["", 0o755],
    ["tools", 0o755],
    ["data", 0o700],
  ] as const)
    chmodSync(join(home, path), mode);
  expect(privacyProblems(home)).toEqual([]);
  chmodSync(join(home, "data"), 0o711);
  chmodSync(join(home, "history.jsonl"), 0o640);
  chmodSync(home, 0o775);
  expect(privacyProblems(home)).toEqual([
    `Other users can write to ${home} (mode 775). Run: chmod 700 ${home}`,
    `Other users can access ${join(home, "data")} (mode 711). Run: chmod 700 ${join(home, "data")}`,
    `Other users can access ${join(home, "history.jsonl")} (mode 640). Run: chmod 600 ${join(home, "history.jsonl")}`,
  ]);
});

test("knows every key", () => {
  const config = { providers: { openai: { apiKey: "from-config", baseUrl: "http://u:pass-word@h" } } };
  expect(secretsOf(config, { GEMINI_API_KEY: "from-env", OTHER: "x" }).sort()).toEqual([
    "from-config",
    "from-env",
    "pass-word",
  ]);
});

test("adds the project's instructions to the prompt, limited in size, from files inside the project only", async () => {
  const date = new Date("2026-01-02T03:04:05Z");
  const prompt = async (files: Parameters<typeof tempDir>[0]) =>
    promptText(promptParts({ cwd: await tempDir(files), date, platform: "linux", shell: "/bin/bash" }));
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
