import { expect, test } from "vitest";
import { callTool } from "../src/index.ts";
import { circumstances, schema, tool, world } from "./world.ts";

const child = "(trap '' TERM; exec sleep 60 > /dev/null 2>&1) &";
const left = "It left processes running; they were killed.";
const moreTime = "To give it more time, set tools.a.timeoutMs in your configuration.";

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
