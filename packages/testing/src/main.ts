import { constants } from "node:os";
import { runHostCommand } from "./host.ts";
import { runCheckCommand, statusLine } from "./report/check-command.ts";

const { env, stdout, stderr } = process;

// An "exit" handler kills the running tool, so signals must lead to an exit.
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"] as const)
  process.on(signal, () => process.exit(128 + constants.signals[signal]));
// The reader has gone, as with `| head`.
stdout.on("error", () => process.exit(128 + constants.signals.SIGPIPE));

const [, , ...args] = process.argv;
const print = (text: string) => void stdout.write(text);
process.exitCode =
  args[0] === "host"
    ? await runHostCommand(args.slice(1), print)
    : await runCheckCommand(args, {
        name: "ikigai-testing",
        print,
        printError: (text) => void stderr.write(text),
        showStatus: statusLine((text) => void stderr.write(text), { isTerminal: stderr.isTTY === true, env }),
        hasColours: stdout.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb",
      });
