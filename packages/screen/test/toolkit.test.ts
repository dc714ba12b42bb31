import { spawn } from "@lydell/node-pty";
import { expect, test } from "vitest";
import { createEditor, type Editor } from "../src/editor.ts";
import { themeFor } from "../src/theme.ts";

function openEditor(): Editor {
  const theme = themeFor(undefined);
  return createEditor({
    theme: () => theme,
    rows: () => 24,
    requestDraw: () => {},
    complete: async () => undefined,
    submit: () => {},
  });
}

// The next two cover what we use of private parts of pi-tui's editor.
test("a final newline does not count as a pasted line", () => {
  const editor = openEditor();
  editor.paste("line\n".repeat(12));
  expect(editor.render(80).lines.join("\n")).toContain("[Pasted 12 lines]");
});

test("the cursor is at the end of a recalled text", () => {
  const editor = openEditor();
  editor.remember("one\ntwo");
  editor.key("\u001b[A");
  editor.key("!");
  expect(editor.text()).toBe("one\ntwo!");
});

test("a SIGWINCH event makes Node read the terminal's size before the signal arrives", async () => {
  const script = `
    const { execFileSync } = require("node:child_process");
    const before = process.stdout.columns;
    execFileSync("stty", ["cols", "91"], { stdio: "inherit" });
    const unnoticed = process.stdout.columns;
    process.emit("SIGWINCH", "SIGWINCH");
    console.log([before, unnoticed, process.stdout.columns].join(" "));`;
  const printed = await new Promise<string>((settle) => {
    const child = spawn(process.execPath, ["-e", script], { cols: 80, rows: 24 });
    let output = "";
    child.onData((text) => {
      output += text;
    });
    child.onExit(() => settle(output));
  });
  expect(printed.trim()).toBe("80 80 91");
});
