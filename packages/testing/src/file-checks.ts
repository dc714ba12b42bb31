import { existsSync, lstatSync, statSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { toolNamePattern, toolSuffix } from "@ikigai/protocol";
import { executionProblem, readFirstLine, readHead } from "@ikigai/system";
import type { Trial, Wrong } from "./check.ts";
import { toolName } from "./run-process.ts";

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
