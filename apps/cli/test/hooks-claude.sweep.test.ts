import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TreeEntry, tempDir } from "@ikigai/testing";
import { describe, expect, inject, test } from "vitest";
import { claude as checkedClaude, onlyLoopback } from "../src/commands/tool/export/check-export.ts";
import { isInstalled } from "./agent-programs.ts";
import { startCallingModel } from "./any-format-model.ts";
import { boundMs, runBounded } from "./bounded-program.ts";
import { bin, cleanEnv } from "./ikigai.ts";

/** Claude Code's names of the events, with ikigai's. */
const events = {
  SessionStart: "session-start",
  UserPromptSubmit: "prompt",
  PreToolUse: "before-call",
  PostToolUse: "after-call",
  Stop: "stop",
  SessionEnd: "session-end",
} as const;

/** What only Claude Code sends (2.1.197). */
const onlyClaudes = ["prompt_id", "effort", "background_tasks", "session_crons"];
/** What has another value in each run, or in each program. */
const differing = ["session_id", "transcript_path", "cwd", "tool_use_id", "tool_response", "duration_ms"];

type HookInput = Readonly<Record<string, unknown>>;

/** A program with one hook for all events. */
interface HookedProgram {
  readonly file: string;
  readonly args: readonly string[];
  env(url: string): Readonly<Record<string, string>>;
  /** The files of its home. @param path of the hook. */
  files(path: string): Readonly<Record<string, TreeEntry>>;
}

const claude: HookedProgram = {
  file: "claude",
  args: ["-p", "go", "--allowedTools", "Bash"],
  env: checkedClaude.env,
  files(command) {
    const matchers = [{ matcher: "", hooks: [{ type: "command", command }] }];
    const hooks = Object.fromEntries(Object.keys(events).map((event) => [event, matchers]));
    return { ".claude/settings.json": JSON.stringify({ hooks }) };
  },
};

const ikigai: HookedProgram = {
  file: process.execPath,
  args: [bin, "-p", "go", "--model", "openai-compatible/test", "--allow", "bash"],
  env: (url) => ({ OPENAI_COMPATIBLE_BASE_URL: url }),
  files: (link) => Object.fromEntries(Object.values(events).map((event) => [`.ikigai/hooks/${event}/hook`, { link }])),
};

/** Runs a program whose model calls bash once. @param script of the hook; `$seen` is a directory. */
async function run({ file, args, env, files }: HookedProgram, command: string, script: string) {
  const [project, seen] = [await tempDir(), await tempDir()];
  const model = await startCallingModel({
    calls: 1,
    shell: (tools) => ({ name: tools.find(({ name }) => /^bash$/i.test(name))?.name ?? "none", args: { command } }),
  });
  const scripts = await tempDir({ hook: { content: `#!/bin/sh\nseen=${seen}\n${script}\n`, mode: 0o755 } });
  const home = await tempDir(files(join(scripts, "hook")));
  const own = { ...(await cleanEnv(home)), ...onlyLoopback, CI: "1", ...env(model.url) };
  await runBounded(file, args, { cwd: project, env: own });
  return { project, model, inputs: inputsIn(seen) };
}

function inputsIn(directory: string): Record<string, HookInput> {
  const inputs = readdirSync(directory).map(
    (name): HookInput => JSON.parse(readFileSync(join(directory, name), "utf8")),
  );
  return Object.fromEntries(inputs.map((input) => [input.hook_event_name, input]));
}

function without(input: HookInput | undefined, names: readonly string[]): HookInput {
  return Object.fromEntries(Object.entries(input ?? {}).filter(([name]) => !names.includes(name)));
}

function lastRequest({ bodies }: { readonly bodies: readonly object[] }): string {
  return JSON.stringify(bodies.at(-1));
}

// With Claude Code from npm: CONTRIBUTING.md says how to run it.
const { isHere, note } = isInstalled("claude");
const timeout = 3 * boundMs;

describe.skipIf(!inject("isThorough") || !isHere)(`with Claude Code${note}`, () => {
  test("hooks get the same fields", { timeout }, async () => {
    const script = 'cat > "$seen/$$"';
    const [theirs, ours] = [await run(claude, "touch made", script), await run(ikigai, "touch made", script)];
    for (const { project } of [theirs, ours]) expect(existsSync(join(project, "made"))).toBe(true);
    expect(Object.keys(ours.inputs).sort()).toEqual(Object.keys(events).sort());
    for (const event of Object.keys(events)) {
      const [their, our] = [without(theirs.inputs[event], onlyClaudes), without(ours.inputs[event], ["ikigai"])];
      expect(Object.keys(our).sort(), event).toEqual(Object.keys(their).sort());
      expect(without(our, differing), event).toEqual(without(their, differing));
      for (const name of differing) expect(typeof our[name], `${event}.${name}`).toBe(typeof their[name]);
    }
  });

  test.each([
    ["exit code 2", 'echo "no force" >&2; exit 2'],
    [
      "permissionDecision",
      `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no force"}}'`,
    ],
    ["decision: block", `echo '{"decision":"block","reason":"no force"}'`],
  ])("a denial by %s denies in both", { timeout }, async (_, denial) => {
    const script = `input=$(cat)\ncase $input in *PreToolUse*--force*) ${denial};; esac`;
    for (const program of [claude, ikigai]) {
      const { project, model } = await run(program, "touch made # --force", script);
      expect(existsSync(join(project, "made"))).toBe(false);
      expect(lastRequest(model)).toContain("no force");
    }
  });
});
