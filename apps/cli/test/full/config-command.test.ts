import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { acrossLines } from "../terminal.ts";
import { openFull } from "./open-full.ts";

/** A user whose editor replaces a file with the one called `next`. */
async function place(config: string) {
  const root = await tempDir({
    ".ikigai/config.json": { content: config, mode: 0o600 },
    "editor.sh": 'cp "$(dirname "$0")/next" "$1"\n',
    next: config,
  });
  const { terminal } = await openFull([], { env: { HOME: root, EDITOR: `sh ${join(root, "editor.sh")}` } });
  const edit = async (text: string, answer: string) => {
    writeFileSync(join(root, "next"), text);
    terminal.type("/config edit\r");
    await terminal.waitFor(answer);
  };
  return { root, terminal, edit };
}

test("/config shows the file as it is now", async () => {
  const { root, terminal } = await place('{"permission":{"mode":"ask"}}');
  writeFileSync(join(root, ".ikigai/config.json"), '{"permission":{"mode":"plan"},"screen":{"thme":"dark"}}');
  terminal.type("/config\r");
  await terminal.waitFor("/config edit opens it");
  expect(terminal.screen()).toContain('"mode": "plan"');
  expect(terminal.screen()).toMatch(acrossLines('Did you mean "theme"?'));
});

test("/config edit says at once what would keep ikigai from starting", async () => {
  const { edit, terminal } = await place('{"permission":{"mode":"ask"}}');
  await edit('{"sandbox":{"enabld":true}}', "ikigai will not start with this. To correct it: /config edit");
  expect(terminal.screen()).toMatch(acrossLines('Did you mean "enabled"?'));
  await edit('{"sandbox":{"enabled":true}', "Expected a closing brace }.");
  await edit('{"sandbox":{"enabled":true}}', "Takes effect when ikigai restarts.");
  await edit('{"sandbox":{"enabled":true}}', "Nothing was changed.");
  await edit('{"sandbox":{"enabled":true},"screen":{"theme":"dark"}}', "Takes effect at once.");
});
