// A user with 500 tools: how much of every request they are, how much later the first request is than with none, and how long the tool
// that loads one of them takes.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startModelServer } from "../apps/cli/src/commands/tool/export/model-server.mjs";
import { ikigai, ms, report, root, scratch, table } from "./measure.mjs";

const count = 500;
const rounds = 30;
const homes = { "no tools besides ikigai's": home(0), [`${count} tools`]: home(count) };
const server = await startModelServer({
  calls: 1,
  shell: () => ({ name: "load", args: { query: "list the deployments of service seven" } }),
});
const requests = {};
const firsts = Object.fromEntries(Object.keys(homes).map((name) => [name, []]));
// The first sessions ask the tools for their schemas.
for (const [name, directory] of Object.entries(homes)) requests[name] = (await session(directory)).bodies;
for (let round = 0; round < rounds; round++) {
  for (const [name, directory] of Object.entries(homes)) firsts[name].push((await session(directory)).first);
}
server.close();
const loads = await timeLoad();
const [few, many] = Object.keys(homes).map((name) => ({
  first: Math.min(...firsts[name]),
  bytes: requests[name].map(({ tools }) => Buffer.byteLength(JSON.stringify(tools ?? []))),
  system: Buffer.byteLength(String(requests[name][0].messages[0].content)),
}));
const whole = wholeBytes();
const kibibytes = (bytes) => `${(bytes / 1_024).toFixed(1)} KiB`;
report({
  title: `${count} tools`,
  text: `${table(
    ["", ...Object.keys(homes)],
    [
      [
        "schemas in the first request",
        kibibytes(few.bytes[0]),
        `${kibibytes(many.bytes[0])} (all of them: ${kibibytes(whole)})`,
      ],
      ["schemas in the second one, after a query", kibibytes(few.bytes[1]), kibibytes(many.bytes[1])],
      ["system prompt", kibibytes(few.system), kibibytes(many.system)],
      [`first request, the fastest of ${rounds}`, `${ms(few.first)} ms`, `${ms(many.first)} ms`],
    ],
  )}

\`load\` finds one of the tools in ${ms(loads.find)} ms; the same executable prints its schema in ${ms(loads.schema)} ms. The fastest of ${rounds}.`,
  figures: {
    "many tools, first request bytes": many.bytes[0],
    "many tools, first request ms more": many.first - few.first,
    "load ms more": loads.find - loads.schema,
  },
});

/** Makes a home with this many tools, whose descriptions share most of their words. */
function home(size) {
  const directory = scratch();
  const tools = join(directory, ".ikigai/tools");
  mkdirSync(tools, { recursive: true });
  for (let n = 0; n < size; n++) {
    writeFileSync(join(tools, `t${n}-tool`), `#!/bin/sh\necho '${JSON.stringify(schemaOf(n))}'\n`, { mode: 0o755 });
  }
  return directory;
}

/** A schema of 600 bytes, the usual size of an MCP server's. */
function schemaOf(n) {
  const [verb, thing] = [["list", "create", "delete"][n % 3], ["deployments", "issues", "branches", "queues"][n % 4]];
  const text = (length) => "Which one is meant, as the service itself names it in its own lists. ".slice(0, length);
  const properties = Object.fromEntries(
    ["owner", "name", "page", "filter"].map((key) => [key, { type: "string", description: text(60) }]),
  );
  return {
    name: `t${n}`,
    description: `${verb} the ${thing} of service ${n}. ${text(69)}`,
    parameters: { type: "object", properties, required: ["owner"] },
  };
}

function wholeBytes() {
  const functions = Array.from({ length: count }, (_, n) => ({ type: "function", function: schemaOf(n) }));
  return Buffer.byteLength(JSON.stringify(functions));
}

async function session(directory) {
  server.begin();
  const env = { ...process.env, HOME: directory, OPENAI_COMPATIBLE_BASE_URL: server.url };
  const started = performance.now();
  const args = ["-p", "go", "--model", "openai-compatible/test", "--output-format", "json"];
  const child = spawn(process.execPath, [ikigai, ...args], {
    cwd: directory,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  await new Promise((settle) => child.once("close", settle));
  return { first: server.times[0] - started, bodies: server.bodies };
}

/** Times a call of the executable with a catalog of all tools, and its start alone: the fastest, since other load only adds time. */
async function timeLoad() {
  const catalog = join(scratch(), "catalog.jsonl");
  const lines = Array.from({ length: count }, (_, n) => {
    const { name, description, parameters } = schemaOf(n);
    return `${JSON.stringify({ kind: "tool", name, description, parameters: Object.keys(parameters.properties) })}\n`;
  });
  writeFileSync(catalog, lines.join(""));
  const executable = join(root, "apps/cli/libexec/ikigai/load-tool");
  const run = (args, input) =>
    new Promise((settle) => {
      const env = { ...process.env, IKIGAI_CATALOG: catalog };
      const child = spawn(executable, args, { env, stdio: ["pipe", "ignore", "inherit"] });
      child.stdin.end(input);
      child.once("close", () => settle());
    });
  const times = { schema: [], find: [] };
  for (let round = 0; round < rounds; round++) {
    for (const [name, args, input] of [
      ["schema", ["--schema"], ""],
      ["find", [], '{"query":"list the deployments of service seven"}'],
    ]) {
      const started = performance.now();
      await run(args, input);
      times[name].push(performance.now() - started);
    }
  }
  return { schema: Math.min(...times.schema), find: Math.min(...times.find) };
}
