// Compares two builds of ikigai in alternating runs, to measure what a change costs.
//   node bench/compare.mjs BEFORE_DIR AFTER_DIR [ROUNDS]     worktrees in which `npm run build` has run; 15 rounds by default
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { startModelServer } from "../apps/cli/src/commands/tool/export/model-server.mjs";
import { machine, ms, ratio, root, scratch, spread, table } from "./measure.mjs";

const [before, after, rounds = "15"] = process.argv.slice(2);
if (after === undefined)
  throw new Error("Expected two directories: node bench/compare.mjs BEFORE_DIR AFTER_DIR [ROUNDS]");
const { spawn: spawnOnTerminal } = createRequire(join(root, "apps/cli/package.json"))("@lydell/node-pty");
const calls = 20;
const answering = await startModelServer({ calls: 0 });
const calling = await startModelServer({ calls, shell: () => ({ name: "bash", args: { command: "echo hello" } }) });
const cwd = scratch();
const notes = join(cwd, "notes.txt");
const tree = join(cwd, "tree");
writeFiles();

/** The cases that are compared. Each returns processor and wall-clock time in milliseconds. */
const scenes = {
  "`ikigai --version`": ({ ikigai, env }) => timed([process.execPath, ikigai, "--version"], env),
  "an unknown option": ({ ikigai, env }) => timed([process.execPath, ikigai, "--unknown"], env),
  "first frame of the full screen": firstFrame,
  "`-p`, one answer": talkTo(answering),
  [`\`-p\`, ${calls} shell calls`]: talkTo(calling),
  "`tool call bash`": ({ ikigai, env }) =>
    timed([process.execPath, ikigai, "tool", "call", "bash", '{"command":"echo hello"}'], env),
  file_write: call("file-write-tool", { file_path: join(cwd, "new.txt"), content: "text\n" }),
  file_edit: call("file-edit-tool", { file_path: notes, old_string: "beta", new_string: "beta " }),
  grep: call("grep-tool", { pattern: "line [0-9]*7$", path: tree }),
};

const rows = [];
for (const [name, once] of Object.entries(scenes)) rows.push(row(name, await alternate(once)));
answering.close();
calling.close();
const head = ["", "processor before", "after", "ratio", "wall clock before", "after", "ratio"];
console.log(`${machine()}\n\nMedians of ${rounds} rounds, in ms.\n\n${table(head, rows)}`);

async function alternate(once) {
  const sides = [before, after].map((dir) => {
    const home = scratch();
    const env = { ...process.env, HOME: home, IKIGAI_HOME: join(home, ".ikigai") };
    const app = join(resolve(dir), "apps/cli");
    return { ikigai: join(app, "dist/ikigai.js"), tools: join(app, "libexec/ikigai"), env, times: [] };
  });
  // The first round warms the page cache and is not counted. The order alternates, so that neither build always runs second.
  for (let round = 0; round <= Number(rounds); round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const time = await once(side);
      if (round > 0) side.times.push(time);
    }
  }
  return sides.map(({ times }) => times);
}

function row(name, sides) {
  const columns = ["processor", "wall"].flatMap((kind) => {
    const [one, other] = sides.map((times) => spread(times.map((time) => time[kind])).p50);
    return [ms(one), ms(other), ratio(other, one)];
  });
  return [name, ...columns];
}

function talkTo(model) {
  const args = ["-p", "go", "--model", "openai-compatible/test", "--allow", "bash"];
  return ({ ikigai, env }) => {
    model.begin();
    return timed([process.execPath, ikigai, ...args], { ...env, OPENAI_COMPATIBLE_BASE_URL: model.url });
  };
}

function call(tool, args) {
  return ({ tools, env }) => {
    writeFileSync(notes, "alpha\nbeta\n");
    return timed([join(tools, tool)], env, JSON.stringify(args));
  };
}

/** Runs a command until it exits. Children count too, once it has waited for them. */
function timed(command, env, input = "") {
  const script = 'TIMEFORMAT="%3R %3U %3S"; time "$@" 2>/dev/null';
  const child = spawn("bash", ["-c", script, "bash", ...command], { cwd, env, stdio: ["pipe", "ignore", "pipe"] });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  let printed = "";
  child.stderr.on("data", (chunk) => {
    printed += chunk;
  });
  return new Promise((settle) => {
    child.once("close", () => {
      const [wall, user, system] = printed
        .trim()
        .split(" ")
        .map((seconds) => 1_000 * Number(seconds));
      settle({ processor: user + system, wall });
    });
  });
}

function firstFrame({ ikigai, env }) {
  return new Promise((settle, reject) => {
    const start = performance.now();
    const options = { cols: 100, rows: 40, cwd, env: { ...env, TERM: "xterm-256color" } };
    const terminal = spawnOnTerminal(process.execPath, [ikigai, "--model", "offline"], options);
    let printed = "";
    let time;
    terminal.onData((data) => {
      printed += data;
      if (time !== undefined || !printed.includes("›")) return;
      time = { processor: processorMs(terminal.pid), wall: performance.now() - start };
      terminal.kill("SIGKILL");
    });
    terminal.onExit(() => (time === undefined ? reject(new Error(`It ended: ${printed}`)) : settle(time)));
  });
}

/** Returns the processor time that the threads of a process have used so far. */
function processorMs(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map((id) => readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ")[0]);
  return times.reduce((sum, nanoseconds) => sum + Number(nanoseconds) / 1e6, 0);
}

function writeFiles() {
  for (let index = 0; index < 2_000; index++) {
    const folder = join(tree, String(index % 40));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${index}.txt`), `line ${index}\n`.repeat(200));
  }
}
