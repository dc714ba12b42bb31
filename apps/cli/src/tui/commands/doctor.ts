import { programOutput } from "@ikigai/core/internal";
import { sanitise } from "../../render/sanitise.ts";
import { say } from "../app/say.ts";
import type { TuiCommand } from "../app/tui.ts";

export const doctor: TuiCommand = {
  name: "doctor",
  summary: "what is set up, and what is wrong",
  isQuick: true,
  async run(_, tui) {
    const { env, places, rules } = tui.session.agent;
    const [, script = ""] = process.argv;
    // The sandbox that this session was started with.
    const flags = rules.sandbox ? [rules.sandbox.network ? "--sandbox-network" : "--sandbox"] : [];
    const options = { cwd: places.projectDir, env, timeoutMs: 30_000, maxBytes: 1_048_576 };
    const { stdout, stderr } = await programOutput(process.execPath, [script, "doctor", ...flags], options);
    say(tui, sanitise(`${stdout}${stderr}`));
  },
};
