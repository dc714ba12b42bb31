// What a hook costs: the same call over MCP without hooks, and with one before the call, a script for `sh`.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ms, ratio, report, scratch, table, takeTurns } from "./measure.mjs";
import { startMcp } from "./rpc-server.mjs";

const rounds = 200;
const cwd = scratch();
writeFileSync(join(cwd, "a.txt"), "hello\n");

/** A home with hooks: their paths and scripts. */
function homeWith(hooks) {
  const home = scratch();
  for (const [path, script] of Object.entries(hooks)) {
    const file = join(home, ".ikigai/hooks", path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, script, { mode: 0o755 });
  }
  return home;
}

const servers = {
  without: await startMcp({ cwd, home: homeWith({}) }),
  hooked: await startMcp({ cwd, home: homeWith({ "before-call/file_read/pass": "#!/bin/sh\nexit 0\n" }) }),
};
const read = (server) => () => server.call("file_read", { file_path: "a.txt" });
const { without, hooked } = await takeTurns({ without: read(servers.without), hooked: read(servers.hooked) }, rounds);
for (const server of Object.values(servers)) await server.end();

report({
  title: "A hook",
  text: table(
    ["a call of `file_read` over MCP", "p50 ms", "p95 ms", "against without", "more, p50 ms"],
    [
      ["without hooks", ms(without.p50), ms(without.p95), "–", "–"],
      [
        "with a `before-call` hook for `sh`",
        ms(hooked.p50),
        ms(hooked.p95),
        ratio(hooked.p50, without.p50),
        ms(hooked.p50 - without.p50),
      ],
    ],
  ),
  figures: { "hook ms": hooked.p50 - without.p50 },
});
