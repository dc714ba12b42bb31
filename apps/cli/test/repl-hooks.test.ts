import { expect, test } from "vitest";
import { hookWorld, userHook } from "./hook-world.ts";
import { type ModelServer, startModel } from "./model-server.ts";
import { openFullScreen, openTerminal } from "./terminal.ts";

/** A terminal with a prompt hook that is broken. */
async function withBrokenHook(open: typeof openTerminal) {
  const here = await hookWorld({});
  const path = userHook(here, "prompt/guard", "exit 1");
  const model = await startModel([]);
  const terminal = await open(["--model", "openai-compatible/m"], { env: { HOME: here.home, ...model.env } });
  await terminal.waitFor(/^[›>]/m);
  return { terminal, model, path };
}

const sent = ({ requests }: ModelServer) => requests.map(({ messages }) => messages.at(-1)?.content);

test("line mode asks whether to send a message although its hook is broken", async () => {
  const { terminal, model, path } = await withBrokenHook(openTerminal);
  terminal.type("first\r");
  const screen = await terminal.waitFor("Send the message anyway?");
  expect(screen.replaceAll("\n", "")).toContain(path);
  expect(screen).toContain("is broken: exit 1");
  terminal.type("n\r");
  await terminal.waitForPrompt();
  terminal.type("second\r");
  await terminal.waitFor(/second[\s\S]*Send the message anyway\?/);
  terminal.type("y\r");
  await terminal.waitFor("Done.");
  expect(sent(model)).toEqual(["second"]);
});

test("the full screen asks too, and puts back a message that is not sent", async () => {
  const { terminal, model, path } = await withBrokenHook(openFullScreen);
  await terminal.waitFor(/openai-compatible\/m$/);
  terminal.type("first\r");
  const screen = await terminal.waitFor("Send the message anyway?");
  expect(screen.replaceAll("\n", "")).toContain(path);
  terminal.type("\r");
  await terminal.waitFor(/The message was not sent\.[\s\S]*\n› first\n/);
  expect(sent(model)).toEqual([]);
  terminal.type(" again\r");
  await terminal.waitFor("Send the message anyway?");
  terminal.type("\u001b[B\r");
  await terminal.waitFor("Done.");
  expect(sent(model)).toEqual(["first again"]);
});
