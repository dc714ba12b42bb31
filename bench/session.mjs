// A whole session: print mode, 20 shell calls in turn, a model server on loopback that answers at once.
//   node bench/session.mjs
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machine, ms, ratio, run, table, takeTurns } from "./measure.mjs";

const calls = 20;
const root = new URL("..", import.meta.url).pathname;
const ikigai = join(root, "apps/cli/dist/ikigai.js");
const home = mkdtempSync(join(tmpdir(), "ikigai-bench-"));

let requestTimes = [];
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    requestTimes.push(performance.now());
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(requestTimes.length <= calls ? callStream(requestTimes.length) : textStream());
  });
});
await new Promise((settle) => server.listen(0, "127.0.0.1", settle));
const env = {
  ...process.env,
  HOME: home,
  OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${server.address().port}`,
};

/** Node by itself, for scale. */
const base = (await takeTurns({ node: () => run(process.execPath, ["-e", "0"]) }, 10)).node.p50;
await session();
const runs = [];
for (let round = 0; round < 5; round++) runs.push(await session());
server.close();
rmSync(home, { recursive: true });

const median = (key) => runs.map((one) => one[key]).toSorted((a, b) => a - b)[Math.floor(runs.length / 2)];
console.log(machine());
console.log(
  table(
    ["", "median", "against node -e 0"],
    [
      ["first request, ms", ms(median("first")), ratio(median("first"), base)],
      ["one turn, ms", ms(median("turn")), ratio(median("turn"), base)],
      ["whole session of 20 calls, ms", ms(median("whole")), ratio(median("whole"), base)],
      ["peak memory of the process tree, MiB", median("peak").toFixed(0), ""],
    ],
  ),
);

async function session() {
  requestTimes = [];
  const started = performance.now();
  const args = ["-p", "go", "--model", "openai-compatible/test", "--allow", "bash", "--output-format", "json"];
  const child = spawn(process.execPath, [ikigai, ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.resume();
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, residentMiB(child.pid));
  }, 20);
  await new Promise((settle) => child.once("close", settle));
  clearInterval(timer);
  if (requestTimes.length !== calls + 1) throw new Error(`Expected ${calls + 1} requests, got ${requestTimes.length}`);
  const turns = requestTimes.slice(1).map((time, index) => time - requestTimes[index]);
  const turn = turns.toSorted((a, b) => a - b)[calls / 2];
  return { first: requestTimes[0] - started, turn, whole: performance.now() - started, peak };
}

/** The memory of a process and of all it has started, by /proc. */
function residentMiB(rootPid) {
  const processes = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readStat);
  const family = new Set([rootPid]);
  for (const { pid, parent } of processes) if (family.has(parent)) family.add(pid);
  return processes.reduce((sum, { pid, pages }) => sum + (family.has(pid) ? pages / 256 : 0), 0);
}

function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return [{ pid: Number(pid), parent: Number(fields[1]), pages: Number(fields[21]) }];
  } catch {
    return [];
  }
}

function callStream(number) {
  const call = {
    index: 0,
    id: `call_${number}`,
    type: "function",
    function: { name: "bash", arguments: '{"command":"echo hello"}' },
  };
  return events({ delta: { role: "assistant", tool_calls: [call] } }, { delta: {}, finish_reason: "tool_calls" });
}

function textStream() {
  return events({ delta: { role: "assistant", content: "Done." } }, { delta: {}, finish_reason: "stop" });
}

function events(...choices) {
  const chunk = (choice) => ({
    id: "c",
    object: "chat.completion.chunk",
    created: 0,
    model: "test",
    choices: [{ index: 0, ...choice }],
  });
  return `${choices.map((choice) => `data: ${JSON.stringify(chunk(choice))}\n\n`).join("")}data: [DONE]\n\n`;
}
