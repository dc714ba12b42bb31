import { constants } from "node:os";
import { runCheckCommand, statusLine } from "./check-command.ts";

const { env, stdout, stderr } = process;

// An "exit" handler kills the running tool, so signals must lead to an exit.
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"] as const)
  process.on(signal, () => process.exit(128 + constants.signals[signal]));
// The reader has gone, as with `| head`.
stdout.on("error", () => process.exit(128 + constants.signals.SIGPIPE));

process.exitCode = await runCheckCommand(process.argv.slice(2), {
  name: "ikigai-testing",
  print: (text) => void stdout.write(text),
  printError: (text) => void stderr.write(text),
  showStatus: statusLine((text) => void stderr.write(text), { isTerminal: stderr.isTTY === true, env }),
  hasColours: stdout.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb",
});
