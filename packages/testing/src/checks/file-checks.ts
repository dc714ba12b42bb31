// Checks of a tool's file; then those of a plain tool, which is read and, but for calls that the user gives, never run.

import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync, statSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import {
  defaultTimeoutMs,
  type JsonObject,
  maxSchemaBytes,
  type PlainTool,
  plainHeaderBytes,
  plainInput,
  plainVariables,
  readPlainTools,
  toolNamePattern,
  toolSuffix,
} from "@ikigai/protocol";
import { executionProblem, findProgram, readFirstLine, readHead } from "@ikigai/system";
import { toolName } from "../run/run-process.ts";
import type { Subject } from "../run/subject.ts";
import { tempDir } from "../run/temp-dir.ts";
import type { Finding, Trial, Wrong } from "./check.ts";
import { describeExit, needsCall } from "./each-call.ts";

/** Checks of the file, and of the attempt to start it. */
export const fileChecks: readonly Trial[] = [
  {
    id: "executable",
    level: "must",
    title: "is an executable file",
    async look({ path }) {
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats === undefined)
        return lstatSync(path, { throwIfNoEntry: false })
          ? {
              problem: `${path} is a symlink to a file that does not exist.`,
              advice: "Build that file, or correct the link.",
            }
          : { problem: `No file ${path}.`, advice: "Check the path, or build the tool first." };
      if (stats.isDirectory())
        return { problem: `${path} is a directory.`, advice: "Pass the path of the executable in it." };
      if (!stats.isFile()) return `${path} is not a regular file.`;
      const unable = executionProblem(path);
      if (unable)
        return { problem: `${path} cannot be executed: ${unable.why}.`, advice: `To fix it: ${unable.remedy}` };
      if (stats.size > 0) return undefined;
      return { problem: `${path} is empty.`, advice: "Write the tool into it, or build it again." };
    },
  },
  {
    id: "file-name",
    level: "must",
    title: `has a file name that ends in ${toolSuffix} and gives a name that every model provider accepts`,
    async look({ path }) {
      const file = basename(path);
      if (!file.endsWith(toolSuffix))
        return `Expected a name that ends in "${toolSuffix}", got ${JSON.stringify(file)}.`;
      const name = toolName(path);
      if (toolNamePattern.test(name)) return undefined;
      return `Expected a letter and then at most 63 letters, digits, "-" or "_" before "${toolSuffix}", got ${JSON.stringify(name)}.`;
    },
  },
  {
    id: "starts",
    level: "must",
    title: "can be started",
    needs: "executable",
    async look(subject) {
      try {
        const { exitCode } = await subject.printSchema();
        return exitCode === notFoundExitCode ? explainEnv(subject.path) : undefined;
      } catch (error) {
        return explainStart(subject.path, error as NodeJS.ErrnoException);
      }
    },
  },
  {
    id: "shebang",
    level: "should",
    title: "has a shebang line, unless it is a binary",
    needs: "executable",
    async look({ path }) {
      const start = readHead(path)?.toString("latin1") ?? "";
      if (start.startsWith("#!") || isBinary(start)) return undefined;
      return "There is no #! line.";
    },
  },
];

/** The system reports ENOENT for a missing interpreter too, as if the tool itself were missing. */
function explainStart(path: string, { code, message }: NodeJS.ErrnoException): Wrong {
  const line = readFirstLine(path);
  if (code !== "ENOENT" || line === undefined) return `It cannot be started: ${message}.`;
  if (line.isCrlf) return crlf;
  return { problem: `Interpreter not found: ${line.interpreter}.`, advice: interpreterAdvice };
}

const crlf: Wrong = {
  problem: "The #! line ends in CRLF, so the interpreter's name ends in a carriage return.",
  advice: "Save the file with LF line endings.",
};

const interpreterAdvice = "Install it, or correct the #! line.";

/** The exit code of `env` if there is no such program. */
const notFoundExitCode = 127;

/** Explains that `env` does not find the interpreter; `undefined` if it does, or is not used. */
function explainEnv(path: string): Wrong | undefined {
  const { program: name, isCrlf } = readFirstLine(path) ?? {};
  if (name !== undefined && isCrlf) return crlf;
  if (name === undefined || (process.env.PATH ?? "").split(delimiter).some((dir) => existsSync(join(dir, name))))
    return undefined;
  return { problem: `Interpreter not found on your PATH: ${name}.`, advice: interpreterAdvice };
}

/** ELF, and Mach-O with its variants. */
function isBinary(start: string): boolean {
  return (
    start.startsWith("\x7fELF") || /^(?:\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba\xbe)/.test(start)
  );
}

/*
 * The checks of a plain tool. They read it, and run it only with the arguments of `--call`: who wrote a script for people has not asked
 * for a call of it.
 */

/** Returns whether a file describes itself in its comments, or a file beside it describes it. Never throws. */
export function isPlain(path: string): boolean {
  return existsSync(sidecarOf(path)) || readingOf(path) !== undefined;
}

function sidecarOf(path: string): string {
  return `${path}.desc`;
}

/** The file with the comments. */
function describedIn(path: string): string {
  return existsSync(sidecarOf(path)) ? sidecarOf(path) : path;
}

function readingOf(path: string): ReturnType<typeof readPlainTools> {
  return readPlainTools(readHead(describedIn(path), plainHeaderBytes)?.toString("utf8") ?? "", toolName(path));
}

function toolsOf(path: string): readonly PlainTool[] {
  const reading = readingOf(path);
  return reading && "tools" in reading ? reading.tools : [];
}

const [executable, fileName] = fileChecks;

/** What to do, by the check's id. */
const advice: Readonly<Record<string, string>> = {
  "plain-tags":
    "Correct the comment. The tags are @describe, @option, @flag, @arg, @env, @meta and @cmd, as docs/writing-a-tool.md shows.",
  "plain-begin": "Hosts read no more of the file. Move the comments with tags to its beginning.",
  "plain-interpreter": "Install it, or correct the #! line. Save the file with LF line endings.",
  "plain-syntax": "A call would fail before it does anything. Correct the script.",
  "plain-size": "Hosts reject a larger one. Shorten the descriptions, or split the tool.",
  "plain-call": "The host reports a call like this as a failure. Correct the script, or the arguments of --call.",
  "plain-described":
    "The model has only the name to guess from. Add a text after the option, such as: # @option --name! Whom to greet",
};

const own: readonly Trial[] = [
  {
    id: "plain-tags",
    level: "must",
    title: "describes itself in comments that a host can read",
    async look({ path }) {
      const reading = readingOf(path);
      if (reading === undefined) return `${describedIn(path)} has no line "# @describe what it does".`;
      if ("tools" in reading) return undefined;
      const { line, column, text, expected } = reading.problem;
      return `${basename(describedIn(path))}:${line}:${column}: ${expected}\n  ${text}\n  ${" ".repeat(column - 1)}^`;
    },
  },
  {
    id: "plain-begin",
    level: "must",
    title: `has all its tags in its first ${plainHeaderBytes} bytes`,
    needs: "plain-tags",
    async look({ path }) {
      const text = readFileSync(describedIn(path)).subarray(plainHeaderBytes).toString("latin1");
      const late = /^[ \t]*(?:#|\/\/|--)[ \t]*@(?:option|flag|arg|cmd)[ \t]+.*$/m.exec(text)?.[0];
      return late === undefined ? undefined : `This line comes later: ${late.trim()}`;
    },
  },
  {
    id: "plain-interpreter",
    level: "must",
    title: "names an interpreter that exists, or is for bash",
    needs: "executable",
    look: async ({ path }) => interpreterProblem(path),
  },
  {
    id: "plain-syntax",
    level: "must",
    title: "is a script that its shell can read",
    needs: "plain-interpreter",
    async look({ path }) {
      const shell = shellOf(path);
      if (shell === undefined) return { notTried: "it is not for a shell" };
      const { status, stderr } = spawnSync(shell, ["-n", path], { encoding: "utf8", timeout: 10_000 });
      return status === 0 ? undefined : `${shell} -n says: ${stderr.trim()}`;
    },
  },
  {
    id: "plain-size",
    level: "must",
    title: `has schemas of at most ${maxSchemaBytes} bytes`,
    needs: "plain-tags",
    async look({ path }) {
      const sizes = toolsOf(path).map(({ schema }) => ({ name: schema.name, bytes: JSON.stringify(schema).length }));
      const large = sizes.find(({ bytes }) => bytes > maxSchemaBytes);
      return large && `The schema of ${large.name} has ${large.bytes} bytes.`;
    },
  },
  {
    id: "plain-described",
    level: "should",
    title: "says what each parameter means",
    needs: "plain-tags",
    async look({ path }) {
      const bare = toolsOf(path).flatMap(({ plain }) => plain.parameters.filter(({ description }) => !description));
      return bare.length === 0 ? undefined : `Without a text: ${bare.map(({ name, word = name }) => word).join(", ")}.`;
    },
  },
  {
    id: "plain-call",
    level: "must",
    title: "answers the calls that were asked for",
    needs: "plain-syntax",
    async look(subject) {
      const [tool, ...others] = toolsOf(subject.path);
      if (subject.given.length === 0 || !tool) return { notTried: `${needsCall}none was given: --call '{…}'` };
      if (others.length > 0) return { notTried: "it is several tools: ikigai tool call NAME calls one" };
      for (const args of subject.given) {
        const problem = await callProblem(subject, tool, args);
        if (problem !== undefined) return `Called with ${JSON.stringify(args)}: ${problem}.`;
      }
      return undefined;
    },
  },
];

/** Exit codes of a shell that could not start a program. */
const notStarted = [126, 127];

/** Makes a call as a host does, and says why the host would report a failure: the end of a sentence. */
async function callProblem(
  { path, runPlain }: Subject,
  { schema, plain }: PlainTool,
  args: JsonObject,
): Promise<string | undefined> {
  const input = plainInput(plain, schema.parameters, args);
  if ("problem" in input) return input.problem;
  const missing = plain.requiredEnv?.find((name) => !process.env[name]);
  if (missing !== undefined) return `it needs the variable ${missing}, which is not set`;
  const hasArgc = findProgram("argc", process.env.PATH, "/") !== undefined;
  const shell = plain.isBare && !existsSync(sidecarOf(path)) ? findProgram("bash", process.env.PATH, "/") : undefined;
  const words = shell === undefined ? input.words : [path, ...input.words];
  // A script cannot open /dev/stdout if that is a socket of this process.
  const env = { ...plainVariables(input, args, hasArgc), LLM_OUTPUT: join(await tempDir(), "output") };
  const run = await runPlain(shell ?? path, words, env, schema.ikigai?.timeoutMs ?? defaultTimeoutMs);
  const isSilent = run.stdout.length === 0 && run.stderr.length === 0;
  const isCrash = notStarted.includes(run.exitCode) || run.exitCode > 128 || (run.exitCode !== 0 && isSilent);
  return run.timedOut || run.flooded || isCrash ? `it ${describeExit(run)}` : undefined;
}

/** All of them; each comes after the one it needs. */
export const plainChecks: readonly Trial[] = [
  ...(executable && fileName ? [executable, fileName] : []),
  ...own.map(
    (trial): Trial => ({
      ...trial,
      async look(subject) {
        const finding = await trial.look(subject);
        return typeof finding === "string" ? { problem: finding, advice: advice[trial.id] } : finding;
      },
    }),
  ),
];

function interpreterProblem(path: string): Finding {
  const line = readFirstLine(path);
  if (line === undefined) return undefined;
  if (line.isCrlf) return "The #! line ends in CRLF, so the interpreter's name ends in a carriage return.";
  const { interpreter, program } = line;
  if (!existsSync(interpreter)) return `Interpreter not found: ${interpreter}.`;
  const places = (process.env.PATH ?? "").split(delimiter);
  const isThere = program === undefined || places.some((place) => existsSync(join(place, program)));
  return isThere ? undefined : `Interpreter not found on your PATH: ${program}.`;
}

/** The shell that runs a script. */
function shellOf(path: string): string | undefined {
  const line = readFirstLine(path);
  if (line === undefined) return existsSync(sidecarOf(path)) ? undefined : "bash";
  const name = line.program ?? line.interpreter;
  return /^(?:ba|da|k|z)?sh$/.test(basename(name)) ? name : undefined;
}
