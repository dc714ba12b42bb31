import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { loadConfig } from "@ikigai/agent";
import { callTool } from "@ikigai/core";
import { exitCodes } from "../exit-codes.ts";
import { printError, printOut } from "../print-out.ts";
import { sanitiseLine } from "../screen/sanitise.ts";
import { untilSignal } from "../signals.ts";
import { openToolbox } from "../toolbox.ts";
import { UsageError } from "../usage-error.ts";
import type { Command } from "./command.ts";

export const toolCall: Command = {
  name: "call",
  usage: "tool call NAME [JSON | -]",
  async run([name, given = "{}", ...rest], { places, env }) {
    if (name === undefined || rest.length > 0) throw new UsageError(`Expected ikigai ${toolCall.usage}.`);
    const args = given === "-" ? await text(process.stdin) : given;
    const registry = await openToolbox(places, env).current();
    const { config } = loadConfig(places.home);
    const { signal, stop } = untilSignal();
    const { json, envelope, notes } = await callTool(registry, name, args, {
      ...config.tools?.[name],
      cwd: places.projectDir,
      projectDir: places.projectDir,
      sessionId: randomUUID(),
      callId: randomUUID(),
      overflowDir: join(places.home, "output"),
      env,
      signal,
    });
    stop();
    printOut(`${json}\n`);
    for (const note of notes) printError(`${sanitiseLine(note)}\n`);
    return envelope.tool_success ? exitCodes.done : exitCodes.failed;
  },
};
