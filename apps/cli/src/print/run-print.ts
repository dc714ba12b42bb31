import type { Options } from "../argv.ts";
import { exitCodes } from "../exit-codes.ts";
import { openAgent } from "../open-agent.ts";
import { OutputClosed, printError } from "../print-out.ts";
import { untrustedNotice } from "../screen/render-trust.ts";
import { sanitise } from "../screen/sanitise.ts";
import { untilSignal } from "../signals.ts";
import { workingDirectory } from "../working-directory.ts";
import { readPipedInput } from "./read-piped-input.ts";
import { createReporter } from "./reporter.ts";

/** Does one task without a terminal; returns the exit code. */
export async function runPrint(prompt: string, options: Options): Promise<number> {
  const projectDir = workingDirectory();
  if (projectDir === undefined) return exitCodes.failed;
  const input = await readPipedInput();
  const text = [prompt, input].filter((part) => part.trim() !== "").join("\n\n");
  if (text === "") {
    printError('Expected a prompt, got an empty one. Write: ikigai -p "…"\n');
    return exitCodes.usage;
  }
  const watch = untilSignal();
  try {
    return await doTask(text, options, projectDir, watch);
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error;
    if (error.exitCode !== exitCodes.brokenPipe) printError(`${error.message}\n`);
    return error.exitCode;
  } finally {
    watch.stop();
  }
}

async function doTask(
  text: string,
  options: Options,
  projectDir: string,
  watch: ReturnType<typeof untilSignal>,
): Promise<number> {
  const agent = await openAgent({ options, projectDir, env: process.env });
  if (agent === undefined) return exitCodes.failed;
  for (const notice of agent.notices) printError(`${sanitise(notice)}\n`);
  const reporter = createReporter(options.outputFormat, agent);
  let closed: OutputClosed | undefined;
  const controller = new AbortController();
  const end = await agent.say(text, {
    signal: AbortSignal.any([watch.signal, controller.signal]),
    emit(event) {
      try {
        if (event.type === "notice") printError(`${sanitise(event.text)}\n`);
        if (closed === undefined) reporter.add(event);
      } catch (error) {
        // Nobody reads any more: the task is of no use either.
        if (!(error instanceof OutputClosed)) throw error;
        closed = error;
        controller.abort();
      }
    },
  });
  agent.close();
  if (closed) throw closed;
  const { failed } = await agent.toolbox.current();
  printError(untrustedNotice(failed.filter(({ reason }) => reason === "untrusted").map(({ name }) => name)));
  if (end.error) printError(`${sanitise(end.error.message)}\n`);
  reporter.end(end);
  if (watch.exitCode !== undefined) return watch.exitCode;
  return end.reason === "done" ? exitCodes.done : exitCodes.failed;
}
