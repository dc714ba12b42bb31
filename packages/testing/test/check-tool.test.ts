import { expect, test } from "vitest";
import { checkTool, tempDir } from "../src/index.ts";
import { nodeTool } from "./tool-source.ts";

test("quotes in an answer that the shell did not escape are no text beside the answer", async () => {
  const answer = `console.log('{"output": "' + JSON.stringify({ text }) + '"}');`;
  const tool = await tempDir({ "quoting-tool": { content: nodeTool({ answer }), mode: 0o755 } });
  const { results } = await checkTool(`${tool}/quoting-tool`, { only: ["answer-object"] });
  expect(results.find(({ id }) => id === "answer-object")).toMatchObject({
    status: "failed",
    problem: expect.stringMatching(/it printed '.*' instead of a JSON object \(.*byte \d+.*\)/),
  });
});

test.each(["only", "skip"])("checkTool rejects an id in %s that no check has", async (option) => {
  const report = checkTool("/bin/true", { [option]: ["answers", "nosuch"] });
  const message = 'Unknown check "nosuch" in "only" or "skip". `conformance` has the ids.';
  await expect(report).rejects.toThrow(new TypeError(message));
});
