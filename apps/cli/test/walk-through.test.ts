import { chmodSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { until } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { shippedToolNames } from "./shipped-tools.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

const libexec = fileURLToPath(new URL("../libexec", import.meta.url));

const weather = `#!/usr/bin/env python3
import sys, json

if '--schema' in sys.argv:
    print(json.dumps({
        "name": "weather",
        "description": "Get current weather",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "City name"}
            },
            "required": ["city"]
        }
    }))
    sys.exit(0)

args = json.load(sys.stdin)
result = {"temperature": 72, "condition": "sunny", "city": args['city']}
print(json.dumps(result))
`;

/** Starts ikigai as installed below a prefix. */
async function install(): Promise<{ cwd: string; home: string; env: Record<string, string> }> {
  const cwd = await tempDir();
  const home = await tempDir({ ".ikigai/tools/": "" });
  cpSync(libexec, join(cwd, "libexec"), { recursive: true });
  return { cwd, home, env: { HOME: home, IKIGAI_LIBEXEC: join(cwd, "libexec/ikigai") } };
}

/** Types a line and returns the output. */
async function say(terminal: Terminal, line: string, last: string): Promise<string> {
  await terminal.waitForPrompt();
  const before = terminal.steadyScreen().length;
  const news = () => terminal.steadyScreen().slice(before);
  terminal.type(`${line}\r`);
  await until(() => news().includes(last), `${JSON.stringify(last)} after ${JSON.stringify(line)}`);
  await terminal.waitForPrompt();
  return news()
    .replace(/^.*\n/, "")
    .replace(/\n\n›$/, "");
}

test("lists and shows the shipped tools", async () => {
  const { cwd, env } = await install();
  const terminal = await openTerminal([], { cwd, env, rows: 100 });
  const lines = shippedToolNames.map((name) => `  ${name} (libexec/ikigai/${name.replaceAll("_", "-")}-tool)`);
  const listed = (await say(terminal, "/tool", String(lines.at(-1)))).split("\n");
  // Below each tool is what it does.
  expect(listed.filter((line) => !line.startsWith("    "))).toEqual(["Available tools:", ...lines]);
  expect(listed).toHaveLength(1 + 2 * lines.length);
  const shown = await say(terminal, "/tool bash", "Processes:");
  expect(shown).toMatch(
    /^Tool: bash\nPath: libexec\/ikigai\/bash-tool\nSchema:\n\{\n {2}"name": "bash",\n {2}"description": "/,
  );
  const [, schema = "", processes] = /Schema:\n(.*\n\}\n)Processes: (.*)/s.exec(shown) ?? [];
  expect(processes).toMatch(/^kept for the next calls; none is running now|one per call, because/);
  expect(JSON.parse(schema)).toMatchObject({
    name: "bash",
    parameters: { required: ["command"] },
  });
  expect(await say(terminal, "/tool bsh", "Tool not found")).toBe("Tool not found: bsh. Did you mean bash?");
});

test("finds a tool copied into the user's directory without a restart", async () => {
  const { cwd, home, env } = await install();
  const model = await startModel([{ calls: [{ name: "weather", arguments: { city: "Paris" } }] }, { text: "Sunny." }]);
  const terminal = await openTerminal(["--model", "openai-compatible/m"], {
    cwd,
    env: { ...env, ...model.env },
    rows: 100,
  });
  await terminal.waitForPrompt();
  writeFileSync(join(home, ".ikigai/tools/weather-tool"), weather);
  chmodSync(join(home, ".ikigai/tools/weather-tool"), 0o755);
  expect(await say(terminal, "/refresh", "refreshed")).toBe(
    `Tool registry refreshed: ${shippedToolNames.length + 1} tools loaded`,
  );
  expect(await say(terminal, "/tool weather", "\n}\n")).toBe(`Tool: weather
Path: ~/.ikigai/tools/weather-tool
Schema:
{
  "name": "weather",
  "description": "Get current weather",
  "parameters": {
    "type": "object",
    "properties": {
      "city": {
        "type": "string",
        "description": "City name"
      }
    },
    "required": [
      "city"
    ]
  }
}`);
  terminal.type("how is the weather in Paris?\r");
  await terminal.waitFor("Run it?");
  terminal.type("y\r");
  await terminal.waitFor("Sunny.");
  expect(terminal.steadyScreen()).toContain(`● weather (user)  city: Paris
    runs ~/.ikigai/tools/weather-tool
  Run it?   y once   s this session   r always in this project: weather
  g always, in all projects   n no   e no, and say why  y
  {"temperature":72,"condition":"sunny","city":"Paris"}
  N ms

Sunny.`);
  expect(model.requests[0]?.tools.map((tool) => tool.function.name)).toContain("weather");
});

test("notices an added, changed or removed tool at the next message", async () => {
  const { cwd, home, env } = await install();
  const model = await startModel([]);
  const terminal = await openTerminal(["--model", "openai-compatible/m"], { cwd, env: { ...env, ...model.env } });
  await terminal.waitForPrompt();
  const path = join(home, ".ikigai/tools/weather-tool");
  const names = () => model.requests.at(-1)?.tools.map((tool) => tool.function.name) ?? [];
  writeFileSync(path, weather);
  chmodSync(path, 0o755);
  await say(terminal, "one", "Done.");
  expect(names()).toContain("weather");
  writeFileSync(path, "#!/bin/sh\nexit 1\n");
  const screen = await say(terminal, "two", "schema failed");
  expect(screen).toContain("Debug: tool 'weather' schema failed (crash): --schema ended with exit code 1");
  expect(names()).not.toContain("weather");
});

test("a project overrides the bash tool only once it is trusted", async () => {
  const { cwd, env } = await install();
  mkdirSync(join(cwd, ".ikigai/tools"), { recursive: true });
  cpSync(join(cwd, "libexec/ikigai/bash-tool"), join(cwd, ".ikigai/tools/bash-tool"));
  const terminal = await openTerminal(["--allow", "bash"], { cwd, env, rows: 100 });
  await terminal.waitFor("Trust this?");
  expect(terminal.screen()).toContain(`${cwd}/.ikigai is not trusted:
  tools/bash-tool  file 755
  would override the system tool bash (libexec/ikigai/bash-tool)
Trust this? Its tools would run with your privileges.   y yes   n no`);
  terminal.type("n\r");
  await terminal.waitFor("Not trusted: ikigai uses none of it. /trust asks again.");
  expect(await say(terminal, "run echo $IKIGAI_TOOL_SCOPE", "ms\n\nsystem")).toContain(
    "● bash  echo $IKIGAI_TOOL_SCOPE",
  );
  terminal.type("/trust\r");
  await terminal.waitFor(/Trust this\?.*Trust this\?/s);
  terminal.type("y\r");
  await terminal.waitFor("Trusted until one of these files changes.");
  expect(await say(terminal, "/refresh", "refreshed")).toBe(
    `Tool registry refreshed: ${shippedToolNames.length} tools loaded`,
  );
  expect(await say(terminal, "/tool", "Overridden:\n")).toContain(`  bash (.ikigai/tools/bash-tool)
`);
  expect(terminal.screen()).toContain(
    "Overridden:\n  bash: libexec/ikigai/bash-tool (system), by .ikigai/tools/bash-tool",
  );
  expect(await say(terminal, "run echo $IKIGAI_TOOL_SCOPE", "\n\nproject")).toContain(
    "● bash (project)  command: echo $IKIGAI_TOOL_SCOPE",
  );
  writeFileSync(join(cwd, ".ikigai/tools/helper.txt"), "changed");
  const after = await say(terminal, "run echo $IKIGAI_TOOL_SCOPE", "\n\nsystem");
  expect(after).toContain("1 project tool no longer trusted (files changed): bash — /trust");
});

test("the built-in interpreter reads, finds, searches and runs", async () => {
  const { cwd, env } = await install();
  writeFileSync(join(cwd, "README.md"), "one\ntwo\nthree\nfour\nfive\nsix\n");
  const terminal = await openTerminal(["--allow", "bash"], { cwd, env, rows: 100 });
  expect(await say(terminal, "read README.md lines 1-5", "five")).toBe(
    "● file_read  README.md lines 1-5\n  N ms\n\none\ntwo\nthree\nfour\nfive",
  );
  expect(await say(terminal, "find libexec/**/{glob,grep}-tool", "2 files")).toBe(
    "● glob  libexec/**/{glob,grep}-tool\n  N ms\n\nlibexec/ikigai/glob-tool\nlibexec/ikigai/grep-tool\n2 files.",
  );
  expect(await say(terminal, "search t[wh] in README.md", "2 matches")).toBe(
    "● grep  t[wh] in README.md\n  N ms\n\nREADME.md:2: two\nREADME.md:3: three\n2 matches.",
  );
  expect(await say(terminal, "run git init -q . && git log --oneline -3", "exit code 128")).toContain(
    "● bash  git init -q . && git log --oneline -3\n  exit 128 · N ms\n\nfatal: your current branch",
  );
});
