import { parseArgv } from "./argv.ts";
import { exitCodes } from "./exit-codes.ts";
import { help } from "./help.ts";
import { printError, printOut } from "./print-out.ts";
import { UsageError } from "./usage-error.ts";
import { version } from "./version.ts";

/** Does what the command line says, and loads no more than that needs. */
async function main(argv: readonly string[]): Promise<number> {
  const invocation = parseArgv(argv);
  switch (invocation.kind) {
    case "help":
      return printOut(help);
    case "version":
      return printOut(`${version}\n`);
    case "print": {
      const { runPrint } = await import("./print/run-print.ts");
      return runPrint(invocation.prompt, invocation.options);
    }
    case "repl": {
      const { runRepl } = await import("./repl/run-repl.ts");
      return runRepl(invocation.options);
    }
    case "command": {
      const { runCommand } = await import("./commands/run-command.ts");
      return runCommand(invocation.name, invocation.args);
    }
  }
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof UsageError) {
    printError(`${error.message}\nTry: ikigai --help\n`);
    process.exitCode = exitCodes.usage;
  } else {
    printError(`This is a bug in ikigai. ${error instanceof Error ? error.stack : error}\n`);
    process.exitCode = exitCodes.bug;
  }
}
