// The same scripted session through other agents: 20 shell calls in turn, headless, against a model on loopback that answers at
// once. Each is installed from npm into a temporary directory and has its own home, key and model server.
//   node bench/peers.mjs [--keep=DIR]     DIR: install them here, and keep them for the next run
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ikigai, ms, quickest, report, scratch, spread, table } from "./measure.mjs";
import { startModelServer } from "./model-server.mjs";
import { watchMemory } from "./watch-memory.mjs";

const calls = 20;
const rounds = 3;
const patienceMs = 60_000;
const key = "sk-not-a-key";
const kept = process.argv.find((argument) => argument.startsWith("--keep="))?.slice("--keep=".length);
const place = kept ?? scratch();

const agents = [
  {
    name: "ikigai",
    command: [process.execPath, ikigai],
    args: () => ["-p", "go", "--model", "openai-compatible/test", "--allow", "bash"],
    env: (url) => ({ OPENAI_COMPATIBLE_BASE_URL: url }),
  },
  {
    name: "codex",
    from: "@openai/codex",
    args: (url) => [
      ...["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", "-m", "test"],
      ...["-c", 'model_provider="bench"', "-c", "features.apps=false", "-c", "features.plugins=false"],
      ...["-c", `model_providers.bench={name="bench",base_url="${url}/v1",env_key="BENCH_KEY",wire_api="responses"}`],
      "go",
    ],
    env: () => ({ BENCH_KEY: key }),
  },
  {
    name: "claude",
    from: "@anthropic-ai/claude-code",
    args: () => ["-p", "go", "--allowedTools", "Bash"],
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
  },
  {
    name: "pi",
    from: "@earendil-works/pi-coding-agent",
    args: () => ["-p", "go", "--provider", "bench", "--model", "test"],
    env: () => ({}),
    files: (url) => ({
      ".pi/agent/models.json": {
        providers: {
          bench: { baseUrl: `${url}/v1`, api: "openai-completions", apiKey: key, models: [{ id: "test" }] },
        },
      },
    }),
  },
  {
    name: "gemini",
    from: "@google/gemini-cli",
    args: () => ["-p", "go", "--yolo", "--skip-trust", "--model", "gemini-2.5-pro"],
    env: (url) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: "true" }),
    files: () => ({
      ".gemini/settings.json": {
        security: { auth: { selectedType: "gemini-api-key" } },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
      },
    }),
  },
  {
    name: "opencode",
    from: "opencode-ai",
    args: () => ["run", "--model", "bench/test", "go"],
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1" }),
    files: (url) => ({
      ".config/opencode/opencode.json": {
        autoupdate: false,
        permission: "allow",
        small_model: "bench/test",
        provider: {
          bench: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${url}/v1`, apiKey: key },
            models: { test: {} },
          },
        },
      },
    }),
  },
];

const rows = [];
const figures = {};
for (const agent of agents) rows.push(await row(agent));
report({
  title: `Other agents, the same session of ${calls} shell calls`,
  text: `${table(["", "first request ms", "one turn ms", "session ms", "peak RSS MiB", "peak PSS MiB", "`--version` ms"], rows)}

The fastest of ${rounds} sessions each, after a warm-up session that is not counted, so that each agent has its caches. Other requests of the agents (lists of models, titles) are also answered immediately.`,
  figures,
});

async function row(agent) {
  try {
    const command = agent.command ?? install(agent);
    const places = { home: scratch(), project: scratch() };
    const runs = [];
    for (let round = 0; round <= rounds; round++) runs.push(await session(agent, command, places));
    const { memory } = await session(agent, command, places, watchMemory);
    const best = { ...quickest(runs.slice(1)), ...memory };
    figures[`${agent.name} session ms`] = best.whole;
    figures[`${agent.name} first request ms`] = best.first;
    figures[`${agent.name} turn ms`] = best.turn;
    figures[`${agent.name} RSS`] = best.rss;
    const times = ["first", "turn", "whole", "rss", "pss", "version"].map((name) => ms(best[name]));
    return [`${agent.name} ${versionOf(agent)}`, ...times];
  } catch (error) {
    return [
      `${agent.name} ${versionOf(agent)}`,
      `not run: ${error.message.replaceAll(/\s+/g, " ").slice(0, 200)}`,
      "",
      "",
      "",
      "",
      "",
    ];
  }
}

function install({ name, from }) {
  const directory = join(place, name);
  const bin = join(directory, "node_modules/.bin", name);
  if (existsSync(bin)) return [bin];
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "package.json"), "{}");
  const options = { cwd: directory, stdio: ["ignore", "ignore", "pipe"], timeout: 300_000 };
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", from], options);
  return [bin];
}

function versionOf({ name, from, command }) {
  const file = command
    ? join(dirname(ikigai), "../package.json")
    : join(place, name, "node_modules", from, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : "";
}

/** Watching memory slows a process down, so a session is either timed or watched. */
async function session(agent, command, { home, project }, watch) {
  const server = await startModelServer({ calls, shell });
  for (const [path, content] of Object.entries(agent.files?.(server.url) ?? {})) {
    mkdirSync(join(home, dirname(path)), { recursive: true });
    writeFileSync(join(home, path), JSON.stringify(content));
  }
  const env = { ...bareEnvironment(), HOME: home, ...agent.env(server.url) };
  try {
    const version = await timed(() => finish(start([...command, "--version"], { env, cwd: project })));
    const began = performance.now();
    const child = start([...command, ...agent.args(server.url)], { env, cwd: project });
    const watching = watch?.(child.pid);
    const printed = await finish(child).finally(() => watching?.stop());
    const whole = performance.now() - began;
    const { times } = server;
    if (times.length !== calls + 1) {
      throw new Error(`expected ${calls + 1} requests, got ${times.length} (${server.unknown.join(", ")}); ${printed}`);
    }
    const turns = times.slice(1).map((time, index) => time - times[index]);
    return { first: times[0] - began, turn: spread(turns).p50, whole, version, memory: watching?.stop() };
  } finally {
    server.close();
  }
}

/** Each agent's own shell tool, with its arguments. */
function shell(tools, number) {
  const names = ["exec_command", "shell_command", "run_shell_command", "Bash", "bash", "shell"];
  const found = names.map((name) => tools.find((one) => one.name === name)).find(Boolean);
  if (!found) throw new Error(`no shell among: ${tools.map(({ name }) => name).join(", ")}`);
  const wanted = found.parameters?.properties ?? {};
  // Different each time: some agents stop at what looks like a loop.
  const command = `echo hello ${number}`;
  const args = {
    ...(wanted.cmd && { cmd: command }),
    ...(wanted.command && { command: wanted.command.type === "array" ? ["sh", "-c", command] : command }),
    ...(wanted.description && { description: "Says hello" }),
  };
  return { name: found.name, args };
}

function bareEnvironment() {
  const { PATH, LANG, NODE_EXTRA_CA_CERTS } = process.env;
  return { PATH, LANG: LANG ?? "C.UTF-8", ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }), CI: "1" };
}

function start([file, ...args], options) {
  return spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"], detached: true });
}

/** Waits for the exit; returns the last lines of the output. */
function finish(child) {
  let printed = "";
  const keep = (chunk) => {
    printed = `${printed}${chunk}`.slice(-300);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  return new Promise((settle, fail) => {
    const timer = setTimeout(() => process.kill(-child.pid, "SIGKILL"), patienceMs);
    child.once("error", fail);
    child.once("close", () => {
      clearTimeout(timer);
      settle(printed);
    });
  });
}

async function timed(once) {
  const began = performance.now();
  await once();
  return performance.now() - began;
}
