import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";

test("sets a theme without the parts of its file that are wrong, and says which", async () => {
  const HOME = await tempDir({ ".ikigai/themes/mine.json": '{"colors":{"accent":"red"}}' });
  const run = (theme: string) => ikigai(["config", "set", "screen.theme", theme], { env: { HOME } });
  const set = await run("mine");
  expect(set).toMatchObject({ exitCode: 0, stdout: '~/.ikigai/config.json: screen.theme = "mine"\n' });
  expect(set.stderr).toMatch(/^\/\S+\/themes\/mine.json:1:2: /);
  expect(set.stderr).toContain('Unknown setting "colors". Did you mean "colours"?');
  expect(set.stderr).not.toContain("Nothing was changed");
  expect(await run("other")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/no theme other.*\nNothing/s),
  });
});
