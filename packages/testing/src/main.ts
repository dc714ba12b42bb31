import { runCheckCommand } from "./check-command.ts";

const { env, stdout, stderr } = process;

process.exitCode = await runCheckCommand(process.argv.slice(2), {
  name: "ikigai-testing",
  print: (text) => void stdout.write(text),
  printError: (text) => void stderr.write(text),
  hasColours: stdout.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb",
});
