import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectOldOrNew, expectValid, type Played, resumed, sweep } from "./faulty-session.ts";
import { ikigai } from "./ikigai.ts";

test.each(["half", "after"])(
  "killed %s of each write to the log, a session loses at most that event",
  async (how) => {
    let openings = 0;
    const count = await sweep({ program: "ikigai.js", path: "/sessions/[^/]*\\.jsonl$", how }, (played, at) => {
      expect(played.exitCode).toBe(137);
      expectOldOrNew(played);
      const found = resumed(played);
      // The first step opens the file.
      if (found === undefined) openings = Math.max(openings, at);
      else {
        expect(found.lines.length).toBe(how === "half" ? at - 1 - 1 : at - 1);
        for (const line of found.lines) JSON.parse(line);
        expectValid(found.messages);
      }
    });
    expect(openings).toBeLessThan(3);
    expect(count).toBeGreaterThan(20);
  },
  600_000,
);

test.each([
  ["file-write-tool", "a.txt", { file_path: "a.txt", content: "newer" }],
  ["file-edit-tool", "b.txt", { file_path: "b.txt", old_string: " b", new_string: " bee" }],
])(
  "%s killed at each of its steps leaves the old file or the new, and nothing else once it is called again",
  async (program, file, again) => {
    const name = program.replace("-tool", "").replace("-", "_");
    for (const how of ["before", "half"]) {
      const path = `/[^/]*${file.replace(".", "\\.")}[^/]*$`;
      const check = async (played: Played) => {
        expect(played.exitCode).toBe(0);
        const { tool_calls: calls, result } = JSON.parse(played.stdout);
        expect(result).toBe("Both are new.");
        expectOldOrNew(played);
        const failed = calls.filter(({ envelope }: { envelope: { tool_success: boolean } }) => !envelope.tool_success);
        for (const { envelope } of failed)
          expect(envelope).toMatchObject({ error_code: "TOOL_CRASHED", exit_code: 137 });
        expectValid(resumed(played)?.messages ?? []);
        const { cwd, home } = played;
        await ikigai(["tool", "call", name, JSON.stringify(again)], { cwd, env: { HOME: home } });
        expect(readdirSync(cwd)).toEqual(["a.txt", "b.txt"]);
        expect(readFileSync(join(cwd, file), "utf8")).toMatch(/^newer$|^(old|new) bee\n$/);
      };
      const count = await sweep({ program, path, how }, check, { stride: 5 });
      expect(count).toBeGreaterThan(3);
    }
  },
  600_000,
);
