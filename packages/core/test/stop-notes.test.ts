import { expect, test } from "vitest";
import { callTool } from "../src/index.ts";
import { circumstances, schema, tool, world } from "./world.ts";

const child = "(trap '' TERM; exec sleep 60 > /dev/null 2>&1) &";
const left = "It left processes running; they were killed.";
const lingers =
  "After its answer, the tool must exit. An open timer or connection, or a process that it has started, may keep it running.";
const moreTime = "To give it more time, set tools.a.timeoutMs in your configuration.";

test.each([
  [
    "answered before its time was over",
    'echo \'{"output":"done"}\'; sleep 60',
    "answered but did not exit within 0.5s",
    lingers,
  ],
  ["answers when it is asked to end", "trap 'echo {}; exit' TERM; sleep 60 & wait", "timed out after 0.5s", moreTime],
  ["has begun to answer", "printf '{\"output\":'; sleep 60", "timed out after 0.5s", moreTime],
])("says what to do about a tool that %s", async (_, end, error, note) => {
  const { discover } = await world({ "system/a-tool": { content: tool(schema("a"), end), mode: 0o755 } });
  const { envelope, notes } = await callTool(await discover(), "a", "{}", await circumstances({ timeoutMs: 500 }));
  expect(envelope).toMatchObject({ error: `Tool 'a' ${error}`, error_code: "TOOL_TIMEOUT" });
  expect(notes).toEqual([note]);
});

test("says that a tool's own schema asks for the limit", async () => {
  const content = tool(schema("a", { ikigai: { timeoutMs: 300 } }), "sleep 60");
  const { discover } = await world({ "system/a-tool": { content, mode: 0o755 } });
  const { notes } = await callTool(await discover(), "a", "{}", await circumstances({}));
  expect(notes).toEqual([`Its schema asks for 300 ms ("ikigai.timeoutMs"). ${moreTime}`]);
});

test.each([
  ["for a tool that exits on its own", "cat > /dev/null; echo '{}'", [left]],
  ["not for one that was killed", "sleep 60", [moreTime]],
])("reports leftover processes %s", async (_, end, notes) => {
  const { discover } = await world({
    "system/a-tool": { content: tool(schema("a"), `${child}\n${end}`), mode: 0o755 },
  });
  const timeoutMs = end === "sleep 60" ? 500 : 60_000;
  expect((await callTool(await discover(), "a", "{}", await circumstances({ timeoutMs }))).notes).toEqual(notes);
});
