// The same scripted session through other agents: 20 shell calls in turn, headless, against a model on loopback that answers at
// once. Each is installed from npm into a temporary directory and has its own home, key and model server.
//   node bench/peers.mjs [--keep=DIR]     DIR: install them here, and keep them for the next run
import { spawn } from "node:child_process";
import { startModelServer } from "../apps/cli/src/commands/tool/export/model-server.mjs";
import { agents, bareEnvironment, install, setUp, versionOf } from "./agents.mjs";
import { ms, quickest, report, scratch, spread, table } from "./measure.mjs";
import { watchMemory } from "./watch-memory.mjs";

const calls = 20;
const rounds = 3;
const patienceMs = 60_000;

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
    const command = install(agent);
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

/** Watching memory slows a process down, so a session is either timed or watched. */
async function session(agent, command, { home, project }, watch) {
  const server = await startModelServer({ calls, shell });
  setUp(agent, server.url, { home, project });
  const env = { ...bareEnvironment(), CI: "1", HOME: home, ...agent.env(server.url) };
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
