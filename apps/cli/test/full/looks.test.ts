// Promise 9 of SECURITY.md.
// @module-tag sampled
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ansiIndex, paletteColour, type Rgb, rgbOf } from "@ikigai/screen";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { shippedThemes } from "../../src/tui/app/user-files.ts";
import { textOnGrounds } from "../../src/tui/components/paint-change.ts";
import { ikigai, until } from "../ikigai.ts";
import { keys, openFull } from "./open-full.ts";

/** A home with this configuration. */
async function homeWith(config: object, files: Record<string, string> = {}): Promise<string> {
  const named = Object.entries(files).map(([name, text]) => [`.ikigai/${name}`, text]);
  return tempDir({ ".ikigai/config.json": JSON.stringify(config), ...Object.fromEntries(named) });
}

/** xterm's 16 colours: https://github.com/ThomasDickey/xterm-snapshots/blob/master/XTerm-col.ad */
const xterm = [
  "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5",
  "7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff",
].flatMap((row) => row.split(" "));

function shown(colour: string): Rgb {
  const ansi = ansiIndex(colour);
  return rgbOf(ansi === undefined ? colour : `#${xterm[ansi]}`);
}

/** https://www.w3.org/TR/WCAG21/#dfn-relative-luminance */
function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [a, b] = [luminance(shown(one)), luminance(shown(other))];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

test.each(Object.entries(shippedThemes))(
  "every colour of the theme %s has a contrast of 4.5 to 1",
  (name, { scheme, colours }) => {
    const { ground = "", said = "", text = "", cyan = "", added, removed, addedWord, removedWord, ...others } = colours;
    for (const [part, colour] of Object.entries({ text, cyan, ...others })) {
      const least = name.startsWith("high-contrast") ? 6 : 4.5;
      expect(contrast(colour, ground), `${part} ${colour} on ${ground}`).toBeGreaterThanOrEqual(least);
    }
    // The user's words, and the mark before them.
    for (const colour of [text, cyan])
      expect(contrast(colour, said), `${colour} on ${said}`).toBeGreaterThanOrEqual(4.5);
    // Code in changes has colours of its own, changed words have only one.
    const onGrounds = textOnGrounds[scheme === "light" ? "light" : "dark"];
    for (const changed of [added, removed]) {
      if (changed !== undefined)
        for (const colour of Object.values(onGrounds))
          expect(contrast(colour, changed), `${colour} on ${changed}`).toBeGreaterThanOrEqual(4.5);
    }
    for (const changed of [addedWord, removedWord])
      if (changed !== undefined) expect(contrast(onGrounds.text, changed), changed).toBeGreaterThanOrEqual(4.5);
    // Terminals with 256 colours show the same.
    const fixed = Array.from({ length: 240 }, (_, index) => paletteColour(index + 16).join());
    for (const colour of Object.values(colours))
      if (colour.startsWith("#")) expect(fixed).toContain(rgbOf(colour).join());
  },
);

test("a theme file is applied, also when it changes, and its mistakes are shown", async () => {
  const theme = '{ "scheme": "dark", "colours": { "said": "#870000", "cyan": "#123456" } }';
  const home = await homeWith({ screen: { theme: "mine" } }, { "themes/mine.json": theme });
  const path = join(home, ".ikigai/themes/mine.json");
  const { terminal } = await openFull([{ text: "Fine." }, { text: "Again." }], {
    env: { HOME: home, COLORTERM: "truecolor" },
  });
  terminal.type("hello\r");
  await terminal.waitFor("Fine.");
  expect(terminal.raw()).toContain("\u001b[48;5;88m");
  expect(terminal.raw()).toContain("\u001b[38;2;18;52;86m");
  writeFileSync(path, '{ "colours": { "said": "bright-blue",\n "dim": "grey" } }');
  await terminal.waitFor('mine.json:2:9: Expected "colours.dim" to be a string like "#87d7ff", got "grey"');
  terminal.type("again\r");
  await terminal.waitFor("Again.");
  expect(terminal.raw()).toContain("\u001b[104m");
});

test("a theme that is set while ikigai runs is applied", async () => {
  const home = await homeWith({ maxSteps: 9 });
  const { terminal } = await openFull([{ text: "Fine." }, { text: "Again." }], {
    env: { HOME: home, COLORTERM: "truecolor" },
  });
  const ground = "\u001b[48;";
  terminal.type("hello\r");
  await terminal.waitFor("Fine.");
  expect(terminal.raw()).not.toContain(ground);
  expect((await ikigai(["config", "set", "screen.theme", "dark"], { env: { HOME: home } })).exitCode).toBe(0);
  await sleep(1_000);
  terminal.type("again\r");
  await terminal.waitFor("Again.");
  expect(terminal.raw()).toContain(ground);
});

test("a theme that does not exist is named with those that do", async () => {
  const { terminal } = await openFull([], { env: { HOME: await homeWith({ screen: { theme: "mien" } }) } });
  await terminal.waitFor(
    /There is no theme mien. Create ~\/\.ikigai\/themes\/mien\.json, or set .*auto, dark,\s+light, ansi,/,
  );
  terminal.type("x");
  await terminal.waitFor("› x");
});

test("with NO_COLOR a theme keeps the screen and loses its colours", async () => {
  const home = await homeWith({ screen: { theme: "colour-blind-dark" } });
  const { terminal } = await openFull([{ text: "`Fine`." }], { env: { HOME: home, NO_COLOR: "1" } });
  terminal.type("hello\r");
  await terminal.waitFor("Fine.");
  expect(terminal.raw()).not.toMatch(/\[[34]8;/);
  expect(terminal.screen()).toContain("─".repeat(100));
});

test("the status command gets facts and its first line is shown, without control characters", async () => {
  const script =
    '#!/bin/sh\nread -r facts; printf \'%s\' "$facts" > "$HOME/facts"\nprintf \'st\\033[31matus \\033]0;x\\007 %s\\nsecond\' "$PWD"\n';
  const home = await homeWith({ screen: { status: "sh ~/.ikigai/status.sh" } }, { "status.sh": script });
  const { terminal } = await openFull([{ text: "Fine." }], { columns: 80, rows: 24, env: { HOME: home } });
  await terminal.waitFor(/\nstatus ␛\]0;x␇ /);
  expect(terminal.screen()).not.toContain("second");
  expect(JSON.parse(readFileSync(join(home, "facts"), "utf8"))).toMatchObject({
    model: "openai-compatible/m",
    mode: "ask",
  });
  terminal.type("go\r");
  await terminal.waitFor("Fine.");
  await until(() => readFileSync(join(home, "facts"), "utf8").includes('"input":100'), "new facts");
});

test("a status command that hangs is killed with what it started, and the screen stays quick", async () => {
  const home = await homeWith({ screen: { status: "(sleep 3; touch ~/late) & sleep 100" } });
  const { terminal } = await openFull([], { env: { HOME: home } });
  terminal.type("x");
  await terminal.waitFor("› x", 1_500);
  await terminal.waitFor("The command of screen.status failed or took longer than 2000 ms.");
  await new Promise((settle) => setTimeout(settle, 2_000));
  expect(existsSync(join(home, "late"))).toBe(false);
});

test("a status command that runs when ikigai quits does not outlive it", async () => {
  const home = await homeWith({ screen: { status: "touch ~/begun; sleep 1; touch ~/late" } });
  const { terminal } = await openFull([], { env: { HOME: home } });
  await until(() => existsSync(join(home, "begun")), "the command");
  terminal.type(keys.ctrlD);
  await terminal.exitCode;
  await new Promise((settle) => setTimeout(settle, 1_500));
  expect(existsSync(join(home, "late"))).toBe(false);
});

test("a project has no status command, notifier or theme", async () => {
  const cwd = await tempDir({ ".ikigai/config.json": '{"screen":{"status":"touch ran","notify":"touch ran"}}' });
  const { terminal } = await openFull([{ text: "Fine." }], { cwd });
  await terminal.waitFor("Trust this?");
  terminal.type("y\r");
  await terminal.waitFor("Trusted");
  terminal.type("\u001b[Ogo\r");
  await terminal.waitFor("Fine.");
  expect(existsSync(join(cwd, "ran"))).toBe(false);
});

test.each([
  ["bell", ""],
  ["osc9", "\u001b]9;ikigai"],
  ["osc777", "\u001b]777;notify;ikigai;ikigai"],
])("notifies with %s a user who looks elsewhere, and no one else", async (notify, begin) => {
  const home = await homeWith({ screen: { notify, title: false } });
  const { terminal } = await openFull([{ text: "Here." }, { text: "Away." }], { env: { HOME: home } });
  const after = (mark: number) => terminal.raw().slice(mark).replaceAll("\u001b]11;?\u0007", "");
  terminal.type("\u001b[I");
  let mark = terminal.raw().length;
  terminal.type("go\r");
  await terminal.waitFor(/Here\.[\s\S]*›\n─/);
  expect(after(mark)).not.toContain("\u0007");
  terminal.type("\u001b[O");
  mark = terminal.raw().length;
  terminal.type("go\r");
  await terminal.waitFor(/Away\.[\s\S]*›\n─/);
  const isThere = () => {
    const [, said] = after(mark).split(begin === "" ? "\u0007" : begin);
    if (begin === "" || said === undefined) return said !== undefined;
    return / ikigai-test-\w+: the turn has ended/.test(said.slice(0, said.indexOf("\u0007")));
  };
  await until(isThere, "a notification");
});

test("a notifier of the user gets the text, and no keys", async () => {
  const script = '#!/bin/sh\nenv > "$HOME/env"\nprintf \'%s\' "$1" > "$HOME/said"\n';
  const home = await homeWith({ screen: { notify: "sh ~/.ikigai/notify.sh" } }, { "notify.sh": script });
  const { terminal } = await openFull([{ text: "Fine." }], {
    env: { HOME: home, OPENAI_API_KEY: "sk-secret-of-the-test" },
  });
  terminal.type("\u001b[Ogo\r");
  await terminal.waitFor("Fine.");
  await until(() => existsSync(join(home, "said")) && readFileSync(join(home, "said"), "utf8") !== "", "the notifier");
  expect(readFileSync(join(home, "said"), "utf8")).toMatch(/^ikigai ikigai-test-\w+: the turn has ended$/);
  expect(readFileSync(join(home, "env"), "utf8")).not.toContain("sk-secret");
});

test("a running turn is shown as progress where the terminal knows it, or where the user wants it", async () => {
  const home = await homeWith({ screen: { progress: true } });
  for (const [env, isShown] of [
    [{ HOME: home }, true],
    [{ WT_SESSION: "1" }, true],
    [{}, false],
  ] as const) {
    const { terminal } = await openFull([{ text: "Fine." }], { env });
    terminal.type("go\r");
    await terminal.waitFor(/Fine\.[\s\S]*›\n─/);
    const shown = ["3", "0"].map((state) => terminal.raw().includes(`\u001b]9;4;${state}\u0007`));
    expect(shown).toEqual([isShown, isShown]);
  }
});

test("with reduced motion nothing spins", async () => {
  const home = await homeWith({ screen: { motion: "reduced" } });
  const { terminal } = await openFull([{ text: "Fine.", waitMs: 1_000 }], { env: { HOME: home } });
  terminal.type("go\r");
  await terminal.waitFor("· thinking");
  await terminal.waitFor("Fine.");
  expect(terminal.raw()).not.toMatch(/[⠋⠙⠸⠴⠦⠇]/);
});
