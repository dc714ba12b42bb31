// `ikigai tool eval`: how often a model does what a tool is for, with this version of the tool and with another one. In reading order: the
// command, the versions, the runs, the figures, the report.

import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { findTool, type RegisteredTool } from "@ikigai/core";
import { sanitiseLine } from "@ikigai/screen";
import { beforeExit, isProgram, parseObject, realPathOf, runProgram, shellWord, temporaryPath } from "@ikigai/system";
import { Refusal } from "@ikigai/tool-packages";
import { commands } from "../../../args/commands.ts";
import { readOperands, readOptions } from "../../../args/read-options.ts";
import { UsageError } from "../../../args/usage-error.ts";
import { openCommandTools, toolNotFound } from "../../../host/conversation/command-tools.ts";
import { exitCodes } from "../../../host/terminal/exit.ts";
import { printError, printOut } from "../../../host/terminal/stdout.ts";
import { type Command, type CommandContext, withRefusals } from "../../command.ts";
import { type Eval, readEvals, readRecordings, writeRecording } from "./read-evals.ts";
import { type FinishedRun, type RunSettings, runByModel, runRecorded } from "./run-eval.ts";

const syntax = commands["tool eval"];

/** How often a model does a task, unless the user says. */
const usualRuns = 5;
const maxRuns = 1_000;

export const toolEval: Command = {
  run(args, context) {
    const { flags, values, operands } = readOptions(args, syntax.options);
    const [name = ""] = readOperands(operands, syntax);
    const [runs = String(usualRuns)] = values.runs ?? [];
    if (!/^\d{1,4}$/.test(runs) || Number(runs) < 1 || Number(runs) > maxRuns)
      throw new UsageError(`Expected --runs to be a number from 1 to ${maxRuns}, got ${sanitiseLine(runs)}.`);
    if (flags.has("replay") && (flags.has("record") || values.model || values.runs))
      throw new UsageError("--replay runs no model: leave out --model, --runs and --record.");
    if (values.against && values.description) throw new UsageError("Expected --against or --description, not both.");
    return withRefusals(async () => {
      const registry = await openCommandTools(context.places, context.env).last();
      const tool = findTool(registry, name);
      if (!tool || tool.launcher)
        throw new Refusal(tool ? `${name} runs elsewhere, by its launcher.` : toolNotFound(registry, name));
      const directory = resolve(
        context.places.projectDir,
        values.evals?.[0] ?? join(dirname(realPathOf(tool.path)), "evals"),
      );
      const settings = {
        model: values.model?.[0],
        sandbox: (["sandbox", "sandbox-network"] as const).filter((flag) => flags.has(flag)).map((flag) => `--${flag}`),
      };
      const plan = {
        directory,
        settings,
        runs: Number(runs),
        isReplay: flags.has("replay"),
        isRecorded: flags.has("record"),
      };
      const evals = readEvals(directory, name, values.only ?? []);
      const versions = await versionsOf(
        tool,
        { path: values.against?.[0], description: values.description?.[0] },
        context,
      );
      const results: Result[] = [];
      for (const one of evals) for (const version of versions) results.push(await resultOf(one, version, plan));
      printOut(flags.has("json") ? `${JSON.stringify(results.map(toJson))}\n` : report(results, versions));
      return results.every(({ finished }) => finished.every(({ problem }) => problem === undefined))
        ? exitCodes.done
        : exitCodes.failed;
    });
  },
};

/** A version of the tool, and the environment in which that version is found. */
interface Version {
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The tool as it is, and the one it is compared with. */
async function versionsOf(
  tool: RegisteredTool,
  { path, description }: { readonly path: string | undefined; readonly description: string | undefined },
  { places, env }: CommandContext,
): Promise<readonly Version[]> {
  const own = { name: tool.name, env };
  if (path === undefined && description === undefined) return [own];
  const file = path === undefined ? realPathOf(tool.path) : realPathOf(resolve(places.projectDir, path));
  if (!isProgram(file)) throw new Refusal(`${path} cannot be run. Try: chmod +x ${shellWord(path ?? file)}`);
  const directory = mkdtempSync(temporaryPath("eval-version-"));
  beforeExit(() => rmSync(directory, { recursive: true, force: true }));
  const other = join(directory, `${tool.name.replaceAll("_", "-")}-tool`);
  if (description === undefined) symlinkSync(file, other);
  else await writeDescribed(other, { tool, file, description, env });
  return [
    own,
    { name: path ?? "description", env: { ...env, IKIGAI_TOOL_PATH: joined(directory, env.IKIGAI_TOOL_PATH) } },
  ];
}

function joined(first: string, rest: string | undefined): string {
  return rest ? `${first}:${rest}` : first;
}

/** Writes a tool that is the given one with another description. */
async function writeDescribed(
  path: string,
  { tool, file, description, env }: { tool: RegisteredTool; file: string; description: string; env: NodeJS.ProcessEnv },
): Promise<void> {
  if (tool.plain)
    throw new Refusal(`${tool.name} is a plain tool: change the comments of a copy, and compare with --against COPY.`);
  const { stdout } = await runProgram(file, ["--schema"], { env, timeoutMs: 10_000, maxBytes: 65_536 });
  const schema = parseObject(stdout.toString("utf8"));
  if (!schema) throw new Refusal(`${tool.name} printed no schema.`);
  writeFileSync(`${path}.json`, JSON.stringify({ ...schema, description }));
  const script = `#!/bin/sh\nif [ "$1" = --schema ]; then exec cat ${shellWord(`${path}.json`)}; fi\nexec ${shellWord(file)} "$@"\n`;
  writeFileSync(path, script);
  chmodSync(path, 0o755);
}

/** What is run, and how often. */
interface Plan {
  readonly directory: string;
  readonly settings: Omit<RunSettings, "env">;
  readonly runs: number;
  readonly isReplay: boolean;
  readonly isRecorded: boolean;
}

/** The runs of an eval with one version. */
interface Result {
  readonly one: Eval;
  readonly version: string;
  readonly finished: readonly FinishedRun[];
}

async function resultOf(one: Eval, version: Version, plan: Plan): Promise<Result> {
  const settings = { ...plan.settings, env: version.env };
  const finished: FinishedRun[] = [];
  if (plan.isReplay) {
    const recording = readRecordings(plan.directory)[one.id];
    if (!recording)
      throw new Refusal(
        `No recorded runs of ${one.id}. Make some: ikigai tool eval ${one.tool} --only ${one.id} --record`,
      );
    for (const run of recording.runs) finished.push(await runRecorded(one, run, settings));
  } else
    for (let number = 1; number <= plan.runs; number++) {
      printError(`${one.id}: run ${number} of ${plan.runs}\n`);
      finished.push(await runByModel(one, settings));
    }
  const isOwn = version.name === one.tool;
  if (plan.isRecorded && isOwn) {
    const runs = finished.filter(({ problem }) => problem === undefined);
    writeRecording(plan.directory, one.id, { model: plan.settings.model ?? "default", runs });
  }
  return { one, version: version.name, finished };
}

/** A share with its 95 % interval, from 0 to 1. */
export interface Rate {
  readonly passed: number;
  readonly runs: number;
  readonly low: number;
  readonly high: number;
}

/** Standard deviations to both sides of 95 % of a normal distribution. */
const z = 1.96;

/** Wilson's interval, which holds also for few runs, and for none or all passed. */
export function rateOf(passed: number, runs: number): Rate {
  if (runs === 0) return { passed, runs, low: 0, high: 1 };
  const share = passed / runs;
  const spread = 1 + z ** 2 / runs;
  const middle = (share + z ** 2 / (2 * runs)) / spread;
  const half = (z * Math.sqrt((share * (1 - share)) / runs + z ** 2 / (4 * runs ** 2))) / spread;
  return { passed, runs, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

function figuresOf(finished: readonly FinishedRun[]) {
  const rate = rateOf(finished.filter(({ problem }) => problem === undefined).length, finished.length);
  const tokens = finished.reduce((sum, run) => sum + run.tokens, 0) / (finished.length || 1);
  return { ...rate, tokens: Math.round(tokens) };
}

function toJson({ one, version, finished }: Result) {
  const problems = finished.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
  return { eval: one.id, version, ...figuresOf(finished), problems };
}

function report(results: readonly Result[], versions: readonly Version[]): string {
  const width = Math.max(...results.map(({ one }) => one.id.length), "all".length);
  const lines = versions.flatMap(({ name }) => {
    const own = results.filter(({ version }) => version === name);
    const rows = own.flatMap(({ one, finished }) => [
      row(one.id, figuresOf(finished), width),
      ...new Set(finished.flatMap(({ problem }) => (problem === undefined ? [] : [`    ${sanitiseLine(problem)}`]))),
    ]);
    return [`${sanitiseLine(name)}:`, ...rows, row("all", figuresOf(own.flatMap(({ finished }) => finished)), width)];
  });
  return `${lines.join("\n")}\n`;
}

function row(id: string, { passed, runs, low, high, tokens }: ReturnType<typeof figuresOf>, width: number): string {
  const percent = (share: number) => Math.round(share * 100);
  const share = runs === 0 ? 0 : passed / runs;
  return `  ${id.padEnd(width)}  ${passed} of ${runs} passed, ${percent(share)} % (95 %: ${percent(low)} to ${percent(high)} %), ${tokens} tokens a run`;
}
