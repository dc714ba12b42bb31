// The image in the clipboard: read by a program, since terminals pass on text alone, kept in a file, and mentioned at the cursor.

import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { toImage } from "@ikigai/session";
import { isMacOs, makeDirectories, runProgram } from "@ikigai/system";
import type { Tui } from "../app/tui.ts";

/** Programs that print the clipboard's image. */
const programs: readonly {
  readonly isThere: (env: NodeJS.ProcessEnv) => boolean;
  readonly command: readonly [string, ...string[]];
}[] = [
  { isThere: () => isMacOs, command: ["osascript", "-e", "get the clipboard as «class PNGf»"] },
  {
    isThere: ({ WAYLAND_DISPLAY: display }) => Boolean(display),
    command: ["wl-paste", "--no-newline", "--type", "image/png"],
  },
  {
    isThere: ({ DISPLAY: display }) => Boolean(display),
    command: ["xclip", "-selection", "clipboard", "-t", "image/png", "-o"],
  },
];

const noClipboard = "No clipboard found. To attach an image, type @ and the file's name, or drop the file.";

/** How long such a program may take, in milliseconds, and how much it may print, in bytes. */
const timeoutMs = 3_000;
const maxBytes = 50_000_000;

/** Saves the clipboard's image to a file, and mentions it at the cursor. */
export async function pasteImage(tui: Tui): Promise<void> {
  const { env, overflowDir } = tui.session.agent;
  const found = programs.find(({ isThere }) => isThere(env));
  const bytes = found && (await outputOf(found.command, env));
  if (!bytes || !toImage(bytes)) {
    const [program] = found?.command ?? [];
    return tui.showHint(
      program === undefined ? noClipboard : `The clipboard has no image, or ${program} is not installed.`,
    );
  }
  // The session keeps its own copy; this one is deleted at exit.
  makeDirectories(overflowDir, 0o700);
  const path = join(overflowDir, `pasted-${randomBytes(4).toString("hex")}.png`);
  writeFileSync(path, bytes, { mode: 0o600 });
  tui.editor.insert(`@${path} `);
}

async function outputOf(
  [file, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
): Promise<Buffer | undefined> {
  const { exitCode, stdout } = await runProgram(file, args, { env, projectDir: process.cwd(), timeoutMs, maxBytes });
  return exitCode === 0 ? fromHex(stdout) : undefined;
}

/** AppleScript prints bytes as `«data PNGf89504E47…»`. */
function fromHex(output: Buffer): Buffer {
  const [, hex] = /^«data PNGf([0-9A-F]+)»/.exec(output.subarray(0, maxBytes).toString("utf8")) ?? [];
  return hex === undefined ? output : Buffer.from(hex, "hex");
}
