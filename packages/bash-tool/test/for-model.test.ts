import { readFileSync, statSync } from "node:fs";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { answer, run } from "./run.ts";

const budget = { IKIGAI_ANSWER_BYTES: "4000" };

test.each([
  ["colours", "printf '\\033[31mred\\033[0m \\033]8;;https://x.test\\033\\\\link\\033]8;;\\007'", "red link"],
  ["a progress bar", "printf '10%%\\r 50%%\\r100%%\\n'", "100%"],
  ["an erased line", "printf 'loading\\r\\033[Kdone\\n'", "done"],
  ["a spinner", "printf '|\\b/\\b-\\bok\\n'", "ok"],
  ["DOS line ends", "printf 'a\\r\\nb\\r\\n'", "a\nb"],
  ["an escape in two pieces", "printf '\\033[3'; sleep 0.05; printf '1mred'", "red"],
])("shows %s to a model as a terminal does", async (_, command, output) => {
  expect(await run(command, { env: budget })).toEqual(answer(output));
});

test("shows it as it is by hand", async () => {
  expect(await run("printf '\\033[31mred\\r\\n'")).toEqual(answer("\u001b[31mred\r"));
});

test("keeps the whole of an output in a file that the answer names", async () => {
  const IKIGAI_OUTPUTS_DIR = await tempDir();
  const env = { ...budget, IKIGAI_OUTPUTS_DIR };
  const command = "for i in $(seq 20000); do printf '\\033[32m%s\\033[0m\\n' $i; done; echo end; exit 3";
  const { stdout, result } = await run(command, { env });
  expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(4_000);
  const file = `${IKIGAI_OUTPUTS_DIR}/bash-1.txt`;
  const whole = `${Array.from({ length: 20_000 }, (_, index) => index + 1).join("\n")}\nend\n`;
  expect(result).toMatchObject({ exit_code: 3, truncated: true, output_file: file });
  expect(result?.output).toMatch(/^1\n2\n.*… \d+ bytes left out …\n.*\n20000\nend$/s);
  expect(result?.hint).toContain(`output_file has all ${whole.length} bytes`);
  expect(readFileSync(file, "utf8")).toBe(whole);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const again = await run("seq 20000", { env });
  expect(again.result?.output_file).toBe(`${IKIGAI_OUTPUTS_DIR}/bash-2.txt`);
});

test.each([
  [50 * 1_048_576, "all 52428800 bytes"],
  [50 * 1_048_576 + 1, "the first 52428800 of 52428801 bytes"],
])("keeps at most 50 MiB: of %i bytes %s", { timeout: 30_000 }, async (bytes, kept) => {
  const IKIGAI_OUTPUTS_DIR = await tempDir();
  const { result } = await run(`yes 0123456 | head -c ${bytes}`, { env: { ...budget, IKIGAI_OUTPUTS_DIR } });
  expect(result?.hint).toContain(`output_file has ${kept}`);
  expect(statSync(String(result?.output_file)).size).toBe(50 * 1_048_576);
});

test("counts an output as it is in JSON", async () => {
  const IKIGAI_OUTPUTS_DIR = await tempDir();
  const { stdout, result } = await run("yes '\"' | head -n 1500", { env: { ...budget, IKIGAI_OUTPUTS_DIR } });
  expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(4_000);
  expect(readFileSync(String(result?.output_file), "utf8")).toBe('"\n'.repeat(1_500));
});

test("shows head and tail where no file can be written", async () => {
  const { result } = await run("seq 20000", { env: { ...budget, IKIGAI_OUTPUTS_DIR: "/nonexistent" } });
  expect(result).toMatchObject({ exit_code: 0, truncated: true });
  expect(result).not.toHaveProperty("output_file");
});
