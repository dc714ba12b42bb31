// Runs what the two adapters would run, on an edit, with a scripted model in place of a real one: checks the adapters without the benchmarks.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { ikigai, scratch } from "../measure.mjs";

const task = `Replace one by two in a.txt; keep its "quotes" and $signs.`;
const before = `one "q" $s\n`;

const server = createServer(answer).listen(0, "127.0.0.1");
await new Promise((listening) => server.once("listening", listening));
const { port } = server.address();
const MODEL = "openai-compatible/m";
const env = { ...process.env, HOME: scratch(), OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${port}/v1`, MODEL };
await check("Explicit Edit Benchmark", explicitEdit);
await check("Harbor", harbor);
server.close();

/** The command of the configuration, with the two functions of the benchmark that it needs. */
async function explicitEdit() {
  const checkout = scratch();
  mkdirSync(join(checkout, "scripts"));
  const functions = ["defineHarness", "defineBenchmarkConfig"].map((name) => `export const ${name} = (one) => one;\n`);
  writeFileSync(join(checkout, "scripts/benchmark-config.mjs"), functions.join(""));
  Object.assign(process.env, { EXPLICIT_EDIT_BENCHMARK: checkout, IKIGAI: ikigai, IKIGAI_VERSION: "0", MODEL });
  const { default: config } = await import("./explicit-edit.config.mjs");
  const { command, args } = config.harnesses.ikigai.createAdapter({ model: config.models.chosen });
  return [command, args.map((word) => (word === "{prompt}" ? task : word))];
}

/** The command of the agent, with the two names of Harbor that it needs; what the container has is a directory here. */
async function harbor() {
  const directory = scratch();
  mkdirSync(join(directory, "harbor/agents/installed"), { recursive: true });
  const stub = "class BaseInstalledAgent: pass\ndef with_prompt_template(run): return run\n";
  writeFileSync(join(directory, "harbor/agents/installed/base.py"), stub);
  symlinkSync(ikigai, join(directory, "ikigai"));
  const script = `import sys; sys.path[:0] = sys.argv[1:3]
from ikigai_agent import Ikigai
agent = Ikigai(); agent.model_name = sys.argv[3]
print(agent.command(sys.argv[4]).replace("/logs/agent", sys.argv[1]), end="")`;
  const words = ["-B", "-c", script, directory, import.meta.dirname, MODEL, task];
  const { stdout } = await promisify(execFile)("python3", words);
  return ["sh", ["-c", `PATH=${directory}:$PATH; ${stdout}`]];
}

async function check(name, commandOf) {
  const [command, args] = await commandOf();
  const cwd = scratch();
  writeFileSync(join(cwd, "a.txt"), before);
  const child = promisify(execFile)(command, args, { cwd, env });
  child.child.stdin.end();
  await child;
  const after = readFileSync(join(cwd, "a.txt"), "utf8");
  if (after !== before.replace("one", "two")) throw new Error(`${name}: a.txt is ${JSON.stringify(after)}`);
  console.log(`${name}: the edit was made.`);
}

/** A model that edits the file if it was asked to, then says "Done.". */
async function answer(request, response) {
  const chunks = await request.toArray();
  const body = Buffer.concat(chunks).toString();
  response.setHeader("content-type", "text/event-stream");
  const send = (delta, finish_reason = null) =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
  const call = (name, args) => ({
    tool_calls: [{ index: 0, id: name, type: "function", function: { name, arguments: JSON.stringify(args) } }],
  });
  const isFirst = !body.includes('"role":"tool"');
  const isAsked = body.includes(JSON.stringify(task).slice(1, -1));
  if (isFirst && isAsked) send(call("bash", { command: "sed -i s/one/two/ a.txt" }));
  else send({ role: "assistant", content: "Done." });
  send({}, isFirst && isAsked ? "tool_calls" : "stop");
  response.end("data: [DONE]\n\n");
}
