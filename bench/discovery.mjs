// Finding 200 tools that have not changed: how long it takes, and that none of them is started.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load, ms, nodeItself, ratio, report, scratch, table, takeTurns } from "./measure.mjs";

const { discover } = await load("core");

const count = 200;
const dir = scratch();
const started = join(dir, "started");
const tools = join(dir, "tools");
mkdirSync(tools);
writeFileSync(started, "");
for (let n = 0; n < count; n++) {
  const schema = JSON.stringify({
    name: `t${n}`,
    description: "Does it",
    parameters: { type: "object", properties: {} },
  });
  writeFileSync(join(tools, `t${n}-tool`), `#!/bin/sh\necho $$ >> '${started}'\necho '${schema}'\n`, { mode: 0o755 });
}
const find = async () => {
  const registry = await discover({ directories: [{ path: tools, scope: "user" }], home: dir, projectDir: dir });
  if (registry.tools.length !== count) throw new Error(`Expected ${count} tools, got ${registry.tools.length}.`);
};
const spawns = () => readFileSync(started, "utf8").split("\n").length - 1;

const start = performance.now();
await find();
const first = performance.now() - start;
const spawnsBefore = spawns();
const times = await takeTurns({ again: find, node: nodeItself }, 100);
report({
  title: `Finding ${count} tools`,
  text: table(
    ["", "ms", "tools started", "against `node -e 0`"],
    [
      ["the first time", ms(first), spawnsBefore, ratio(first, times.node.p50)],
      ["unchanged, p50", ms(times.again.p50), spawns() - spawnsBefore, ratio(times.again.p50, times.node.p50)],
      ["unchanged, p95", ms(times.again.p95), spawns() - spawnsBefore, ratio(times.again.p95, times.node.p50)],
    ],
  ),
  figures: { "discovery ms": times.again.p50, "discovery spawns": spawns() - spawnsBefore },
});
