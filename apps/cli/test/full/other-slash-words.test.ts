import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { openFull } from "./open-full.ts";

test("/mcp says why a server is not used", async () => {
  const servers = { broken: { command: "false" } };
  const cwd = await tempDir({ "servers.json": JSON.stringify({ mcpServers: servers }) });
  const { terminal } = await openFull([], { cwd, args: ["--mcp", "servers.json"] });
  await terminal.waitFor("›");
  terminal.type("/mcp\r");
  await terminal.waitFor(/ {2}broken {2}of this conversation {2}/);
  await expect
    .poll(() => {
      terminal.type("/mcp\r");
      return terminal.screen();
    })
    .toMatch(/broken {2}of this conversation {2}(?!starting|ready)\S/);
});

test("aliases of other agents are completed and run; what is missing says what to do instead", async () => {
  const { terminal } = await openFull();
  terminal.type("/usa");
  await terminal.waitFor("show the model, the session, the tokens used");
  terminal.type("ge\r");
  await terminal.waitFor(/ {2}tokens +none yet/);
  terminal.type("/theme\r");
  await terminal.waitFor("/theme: In a shell: ikigai config set screen.theme");
  terminal.type("/statusline\r");
  expect(await terminal.waitFor("/statusline: In a shell: ikigai config set screen.status")).not.toContain(
    "Did you mean",
  );
  terminal.type("/mcp\r");
  await terminal.waitFor("No MCP servers. In a shell: ikigai mcp add NAME -- COMMAND");
  terminal.type("/tols\r");
  await terminal.waitFor("There is no command /tols. Did you mean /tools?");
  // The letters of /compact, in their order.
  terminal.type("/cpct");
  await terminal.waitFor(/\/compact/);
  terminal.type("\r");
  await terminal.waitFor("There is no command /cpct.");
});
