import { tempDir } from "@ikigai/testing";
import { test } from "vitest";
import { keys, openFull } from "./open-full.ts";

test("in vi's normal mode, u takes back a whole change, with the deleted and the added words", async () => {
  const home = await tempDir({ ".ikigai/config.json": JSON.stringify({ editor: "vi" }) });
  const { terminal } = await openFull([], { env: { HOME: home } });
  terminal.type("one two three");
  terminal.type(keys.escape);
  await terminal.waitFor(/\nNORMAL · ask/);
  terminal.type("02cwa b c");
  await terminal.waitFor("› a b c three");
  terminal.type(keys.escape);
  await terminal.waitFor(/\nNORMAL · ask/);
  terminal.type("u");
  await terminal.waitFor("› one two three");
  terminal.type("2x3dw");
  await terminal.waitFor(/\n›\n/);
  terminal.type("u");
  await terminal.waitFor(/\n› e two three\n/);
  terminal.type("uix");
  await terminal.waitFor(/\n› xone two three\n/);
});
