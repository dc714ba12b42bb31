// @module-tag sampled
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";

const steps = [
  { text: "Look.", calls: [{ name: "bash", arguments: { command: "cat /proc/sys/kernel/random/uuid" } }] },
  { text: "That was it." },
];

/** A session whose command printed a unique output. */
async function past() {
  const cwd = await tempDir();
  const HOME = await tempDir();
  const model = await startModel(steps);
  const args = ["-p", "roll", "--allow", "bash", "--output-format", "json", "--model", "openai-compatible/m"];
  const { stdout } = await ikigai(args, { cwd, env: { HOME, ...model.env } });
  const [file = ""] = readdirSync(join(HOME, ".ikigai/sessions")).filter((name) => name.endsWith(".jsonl"));
  return { cwd, env: { HOME }, report: JSON.parse(stdout), path: join(HOME, ".ikigai/sessions", file) };
}

test("--replay prints the recorded answers and results, without a model, tools or permission", async () => {
  const { cwd, env, report, path } = await past();
  const args = ["-p", "--replay", report.session_id, "--output-format", "json"];
  const { exitCode, stdout, stderr } = await ikigai(args, { cwd, env });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: `Replaying session ${report.session_id}: no tool runs.\n`,
  });
  const { session_id: id, ...rest } = JSON.parse(stdout);
  expect({ ...rest, session_id: report.session_id }).toEqual(report);
  expect(id).not.toBe(report.session_id);
  // A test may keep the file without that home and those tools.
  const elsewhere = await ikigai(["-p", "roll", "--replay", path, "--output-format", "json"], {
    env: { IKIGAI_LIBEXEC: "/nowhere" },
  });
  expect(JSON.parse(elsewhere.stdout).tool_calls).toEqual(report.tool_calls);
  const other = await ikigai(["-p", "another", "--replay", path], { cwd, env });
  expect(other).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining("leave out the prompt") });
});

test("with --model, another model gets the recorded results, and an error for an unrecorded call", async () => {
  const { cwd, env, report } = await past();
  const model = await startModel([
    {
      calls: [
        steps[0]?.calls?.[0] ?? { name: "", arguments: {} },
        { name: "bash", arguments: { command: "touch no" } },
      ],
    },
    { text: "New words." },
  ]);
  const args = ["-p", "roll", "--replay", report.session_id, "--model", "openai-compatible/m"];
  const { stdout } = await ikigai([...args, "--output-format", "json"], { cwd, env: { ...env, ...model.env } });
  const { result, tool_calls: calls } = JSON.parse(stdout);
  expect(result).toBe("New words.");
  expect(calls[0].envelope).toEqual(report.tool_calls[0].envelope);
  expect(calls[1].envelope).toMatchObject({
    tool_success: false,
    error: `Nothing was run: the replayed session ${report.session_id} has no call of 'bash' with these arguments.`,
    error_code: "TOOL_UNAVAILABLE",
  });
  expect(readdirSync(cwd)).toEqual([]);
});

test("a replay is not the directory's last session, and replay names the session whose calls ran", async () => {
  const { cwd, env, report } = await past();
  const options = { cwd, env };
  const again = await ikigai(["-p", "--replay", report.session_id, "--output-format", "json"], options);
  const { session_id: id } = JSON.parse(again.stdout);
  expect(await ikigai(["replay", "1", "--session", id], options)).toEqual({
    exitCode: 1,
    stdout: "",
    stderr:
      `ikigai: Session ${id} is a replay of session ${report.session_id}, so none of its calls ran. To repeat one of the ` +
      `original: ikigai tool log ${report.session_id}, then ikigai replay CALL --session ${report.session_id}\n`,
  });
  expect((await ikigai(["tool", "log"], options)).stdout).toContain(`Session ${report.session_id}, `);
  const third = await ikigai(["-p", "--replay", id, "--output-format", "json"], options);
  const { session_id: last } = JSON.parse(third.stdout);
  expect((await ikigai(["replay", "1", "--session", last], options)).stderr).toContain(
    `is a replay of session ${report.session_id}, `,
  );
});

test.each([
  [["--replay", "x"], 2, "--replay needs -p.\nTry: ikigai --help"],
  [["-p", "go", "--replay", "1999"], 1, "No session 1999 found."],
  [["-p", "go", "--replay"], 2, "Missing the value of --replay SESSION.\nTry: ikigai --help"],
])("%j is refused with exit code %d", async (args, exitCode, problem) => {
  expect(await ikigai(args)).toEqual({ exitCode, stdout: "", stderr: `ikigai: ${problem}\n` });
});
