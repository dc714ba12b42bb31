// Runs a built tool with `--schema`: what no file defines, or what runs at the top level of a module, shows only then.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

/** How long the tool may take, in milliseconds: far more than a host allows, for a busy machine. */
const patienceMs = 60_000;

/** How long it may run after it has closed its stdout, in milliseconds. Node needs a few to end. */
const endPatienceMs = 5_000;

/** Loaded before the tool: names what keeps it running, in the words of Node, and ends it. */
const namesWhatRuns = `data:text/javascript,${encodeURIComponent(
  `process.once("SIGTERM", () => {
    console.error([...new Set(process.getActiveResourcesInfo())].join(", "));
    process.kill(process.pid, "SIGKILL");
  });`,
)}`;

/**
 * Says what is wrong with the answer of a built tool to `--schema`; `undefined` if it is a schema, and the tool ends.
 *
 * @param name what the file will be called.
 */
export async function startProblem(file, name) {
  const args = ["--import", namesWhatRuns, file, "--schema"];
  const tool = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const giveUp = setTimeout(() => tool.kill("SIGKILL"), patienceMs);
  let isAsked = false;
  let ask;
  tool.stdout.once("end", () => {
    ask = setTimeout(() => {
      isAsked = tool.kill("SIGTERM");
    }, endPatienceMs);
  });
  const [stdout, stderr, [status, signal]] = await Promise.all([
    text(tool.stdout),
    text(tool.stderr),
    once(tool, "exit"),
  ]);
  clearTimeout(giveUp);
  clearTimeout(ask);
  const command = `${name} --schema`;
  if (isAsked)
    return `${command} does not end: something at the top level of a module keeps it running (${stderr.trimEnd()}). Start it in run.`;
  if (status !== 0) return `${command} failed with ${signal ?? `exit code ${status}`}:\n${stderr.trimEnd()}`;
  return schemaProblem(command, stdout);
}

function schemaProblem(command, stdout) {
  if (stdout.trim() === "")
    return `${command} printed nothing. src/main.ts has to call serve, and no module may end the process.`;
  const schema = parsed(stdout);
  if (schema === undefined) {
    const [line] = stdout.split("\n");
    return `${command} must print one JSON object and nothing else. Its first line: ${line}\nPrint logs with console.error.`;
  }
  if (schema.parameters?.type !== "object") return `${command} must print parameters with "type": "object".`;
  return undefined;
}

function parsed(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
