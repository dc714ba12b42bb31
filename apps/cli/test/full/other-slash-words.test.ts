import { expect, test } from "vitest";
import { openFull } from "./open-full.ts";

test("aliases of other agents are completed and run; what is missing says what to do instead", async () => {
  const { terminal } = await openFull();
  terminal.type("/usa");
  await terminal.waitFor("show the model, the session, the tokens used");
  terminal.type("ge\r");
  await terminal.waitFor(/ {2}tokens +none yet/);
  terminal.type("/theme\r");
  await terminal.waitFor("/theme: In a shell: ikigai config set screen.theme");
  terminal.type("/mcp\r");
  expect(await terminal.waitFor("/mcp: In a shell: ikigai mcp list shows the MCP servers,")).not.toContain(
    "Did you mean",
  );
  terminal.type("/tols\r");
  await terminal.waitFor("There is no command /tols. Did you mean /tools?");
  // The letters of /compact, in their order.
  terminal.type("/cpct");
  await terminal.waitFor(/\/compact/);
  terminal.type("\r");
  await terminal.waitFor("There is no command /cpct.");
});
