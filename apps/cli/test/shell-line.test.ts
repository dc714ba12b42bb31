import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { sanitise } from "@ikigai/screen";
import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { shellLine } from "../src/commands/replay/recorded-calls.ts";
import { evil } from "./evil-texts.ts";

const numRuns = inject("isThorough") ? 300 : 30;

test("the line has no invisible character, and gives the same bytes, directory and variables in every shell", {
  timeout: 600_000,
}, async () => {
  const root = await tempDir({
    "x-tool": {
      content:
        '#!/bin/sh\ncat | od -An -v -tx1\nprintf "%s" "$IKIGAI_CALL_ID" | od -An -v -tx1\npwd | od -An -v -tx1\n',
      mode: 0o755,
    },
  });
  const text = fc
    .oneof(fc.constantFrom(evil, "", "-n", "%s\\n", "'", "$HOME `x`", "\n\t"), fc.string({ unit: "binary" }))
    .map((drawn) => drawn.replaceAll("\0", "").toWellFormed());
  // A directory name contains no slash, and command substitution removes trailing line breaks.
  const name = text.map((drawn) => `d${drawn.replaceAll("/", "")}`.slice(0, 60).toWellFormed().trimEnd());
  const property = fc.property(text, text, name, fc.constantFrom("sh", "bash"), (args, id, directory, shell) => {
    const callId = id.trimEnd();
    const cwd = join(root, directory);
    mkdirSync(cwd, { recursive: true });
    const call = { id: "1", name: "x", arguments: args, sessionId: "s", scope: "user", cwd, isLaunched: false };
    const line = shellLine({ ...call, path: join(root, "x-tool"), env: { IKIGAI_CALL_ID: callId } });
    expect(line).not.toContain("\n");
    expect(sanitise(line)).toBe(line);
    const printed = execFileSync(shell, ["-c", line], { cwd: "/", env: { PATH: process.env.PATH }, encoding: "utf8" });
    const bytes = Buffer.from(printed.replace(/\s+/g, ""), "hex").toString();
    // `echo` adds a line break.
    expect([`${args}${callId}${cwd}\n`, `${args}\n${callId}${cwd}\n`]).toContain(bytes);
  });
  fc.assert(property, { numRuns });
});
