import type { CommandSpec, GivenArguments } from "./command-spec.ts";

/** All of it is text, even if it looks like an option. */
const anyText: CommandSpec = { operands: "texts", hasNoOptions: true };
const noOption: CommandSpec = { operands: "texts", maxOperands: 0 };

/** For programs that are read-only only when they print their version. */
const version: CommandSpec = { long: "version", operands: "texts", maxOperands: 0, check: namesVersion };

function namesVersion({ options }: GivenArguments): string | undefined {
  return options.length === 1 ? undefined : "it does more than print its version";
}

const test: CommandSpec = {
  words: "-e -f -d -r -w -x -s -L -h -n -z -t -eq -ne -gt -lt -ge -le -nt -ot -a -o",
  number: true,
  operands: "paths",
  refused: { "-v": "may run what is in the brackets of a name" },
};

/** Programs that print their arguments or describe the machine. */
export const plainCommands: Readonly<Record<string, CommandSpec>> = {
  ":": anyText,
  true: anyText,
  false: anyText,
  echo: anyText,
  // With an option that sets a variable, it is not parsed.
  printf: { ...anyText, refused: { "-v": "sets a variable" } },
  pwd: { short: "LP", operands: "texts", maxOperands: 0 },
  sleep: anyText,
  test,
  "[": test,
  seq: { short: "ws:f:", operands: "texts" },
  whoami: noOption,
  id: { short: "ugGnr", operands: "texts" },
  uname: {
    short: "asnrvmpio",
    long: "all kernel-name kernel-release machine operating-system",
    operands: "texts",
    maxOperands: 0,
  },
  nproc: { long: "all", operands: "texts", maxOperands: 0 },
  arch: noOption,
  hostname: { ...noOption, refused: { "-F": "sets the name" } },
  date: {
    short: "uRI?d:",
    long: "utc universal rfc-email iso-8601=? rfc-3339= date=",
    operands: "texts",
    check: ({ operands }) => (operands.every(({ text }) => text.startsWith("+")) ? undefined : "it may set the clock"),
    refused: { "-s": "sets the clock", "--set": "sets the clock", "-f": "reads a file" },
  },
  which: { short: "as", operands: "texts" },
  type: anyText,
  command: {
    short: "vV",
    operands: "texts",
    check: ({ options }) => (options.length > 0 ? undefined : "it runs a command"),
  },
  basename: { short: "azs:", long: "multiple zero suffix=", operands: "texts" },
  dirname: { short: "z", long: "zero", operands: "texts" },
  node: { ...version, short: "v" },
  python3: { ...version, short: "V" },
  python: { ...version, short: "V" },
  gcc: version,
  "g++": version,
  clang: version,
  make: { ...version, short: "v" },
  cmake: version,
  perl: { ...version, short: "v" },
};
