// What joining the network of a session costs a start of bash in the sandbox, in pairs: with it and with none.
import { mkdirSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { load, ms, report, scratch, spread, tool } from "./measure.mjs";

const { discover, execute, findTool } = await load("core");
const { sessionNetwork } = await load("core", "internal");

const rounds = 150;

const dir = scratch();
const [home, cwd] = ["home", "project"].map((name) => join(dir, name));
for (const path of [home, cwd]) mkdirSync(path);
const directories = [{ path: join(tool("bash-tool"), ".."), scope: "system" }];
const bash = findTool(await discover({ directories, home, projectDir: cwd }), "bash");
const network = sessionNetwork({ env: {}, ruleFor: () => undefined });
const paths = { writable: [], readable: [], hidden: [] };
const none = { home, userHome: userInfo().homedir, network: false, ...paths };
const joined = { ...none, door: network };

/** Returns the duration of a call with its start, in milliseconds. */
async function start(sandbox) {
  const beganAtMs = performance.now();
  const { envelope } = await execute(bash, '{"command":"true"}', { cwd, projectDir: cwd, sandbox });
  if (!envelope.tool_success) throw new Error(JSON.stringify(envelope));
  return performance.now() - beganAtMs;
}

const beganAtMs = performance.now();
await network.start();
const makingMs = performance.now() - beganAtMs;
for (const sandbox of [joined, none]) await start(sandbox);
const pairs = [];
for (let round = 0; round < rounds; round++) {
  // Each of the two is first half of the time.
  const order = round % 2 === 0 ? [joined, none] : [none, joined];
  const [first, second] = [await start(order[0]), await start(order[1])];
  pairs.push(round % 2 === 0 ? first - second : second - first);
}
network.close();
const joiningMs = spread(pairs).p50;
report({
  title: "The network of a session, joined by bash in the sandbox",
  text: `Joining costs a start ${ms(joiningMs)} ms (median of ${rounds} pairs). The network is made once, in ${ms(makingMs)} ms.`,
  figures: { "joining ms": joiningMs, "making the network ms": makingMs },
});
process.exit();
