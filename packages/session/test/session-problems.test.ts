import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { sessionProblems } from "../src/finding/list-sessions.ts";

test.each([
  [0, []],
  [3, []],
  [4, ["1 more session cannot be read."]],
  [5, ["2 more sessions cannot be read."]],
])("of %d sessions that are no files, names three and counts the others", async (count, more) => {
  const names = Array.from({ length: count }, (_, n) => `sessions/${n}.jsonl/`);
  const home = await tempDir({
    "sessions/whole.jsonl": "{}\n",
    ...Object.fromEntries(names.map((name) => [name, ""])),
  });
  const problems = sessionProblems(home);
  expect(problems.filter((problem) => problem.includes("is not a regular file. Move it away."))).toHaveLength(
    Math.min(count, 3),
  );
  expect(problems.slice(3)).toEqual(more);
});
