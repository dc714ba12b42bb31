// How much memory a session of 10,000 turns takes, and how long it takes to resume.
import { statSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { load, ms, report, scratch, table } from "./measure.mjs";

const { noUsage, resumeConversation, runTurn, startConversation } = await load("agent", "internal");
const turns = 10_000;
const megabyte = 1_048_576;
const home = scratch();
const cwd = scratch();

/** A model that answers with one short sentence. */
const model = {
  id: "bench/talker",
  async *stream() {
    yield { type: "text", text: "This is what there is to say about it.", block: "1" };
    yield { type: "finish", reason: "stop", usage: noUsage };
  },
};
const conversation = startConversation({ home, cwd });
const options = {
  model,
  system: "You help.",
  currentRegistry: async () => ({ tools: [], failed: [], shadowed: [] }),
  permission: { mode: "allow", rules: [], projectDir: cwd, home },
  emit: () => {},
  cwd,
  projectDir: cwd,
};
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
/** Returns the memory in use after garbage collection. */
const held = () => {
  collect();
  return process.memoryUsage().heapUsed / megabyte;
};
const rows = [];
let first = 0;
for (let turn = 1; turn <= turns; turn++) {
  await runTurn(conversation, `Question ${turn}: anything new?`, options);
  if (![1_000, 5_000, turns].includes(turn)) continue;
  if (turn === 1_000) first = held();
  rows.push([`in use after ${turn} turns`, `${held().toFixed(1)} MiB`]);
}
const bytesPerTurn = ((held() - first) * megabyte) / (turns - 1_000);
rows.push(["RSS at that point", `${(process.memoryUsage.rss() / megabyte).toFixed(0)} MiB`]);
conversation.log.close();
const size = statSync(conversation.log.path).size / megabyte;
const start = performance.now();
const resumed = resumeConversation({ home, cwd, id: conversation.id });
const resumeMs = performance.now() - start;
resumed.conversation.log.close();
if (resumed.conversation.messages.length !== 2 * turns) throw new Error("Messages are missing.");
rows.push([`resuming it (a file of ${size.toFixed(1)} MiB)`, `${ms(resumeMs)} ms`]);
report({
  title: `A session of ${turns} turns`,
  text: `${table(["", ""], rows)}

What grows is the conversation sent to the model: ${bytesPerTurn.toFixed(0)} bytes per turn. The full record is in the
session file.`,
  figures: { "resume ms": resumeMs, "bytes per turn": bytesPerTurn },
});
