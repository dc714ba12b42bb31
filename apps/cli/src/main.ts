// The entry of the command: refuses a Node that is too old, prints --version and --help at once, and loads the rest, which begins in cli.ts.
// Node parses a whole file before it runs it, so this file and the one it imports use only syntax that any Node can parse.

import { useCodeCache } from "./start/code-cache.ts";

declare const IKIGAI_VERSION: string;
/** The result of `overview`, computed at build time. */
declare const BUILT_HELP: string;

const oldest = { major: 20, minor: 19 };
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < oldest.major || (major === oldest.major && minor < oldest.minor)) {
  refuse(
    `ikigai needs Node ${oldest.major}.${oldest.minor} or newer; this is ${process.versions.node}. Install it from https://nodejs.org.`,
  );
} else if (process.platform === "win32") {
  refuse("ikigai needs Linux or macOS. On Windows, use WSL: https://learn.microsoft.com/windows/wsl.");
} else if (!(process.argv.length === 3 && printKnown(process.argv[2]))) {
  useCodeCache(import.meta.dirname);
  import("./cli.ts").then(({ cli }) => cli(process.argv.slice(2)), refuseToLoad);
}

/** Prints --version and --help without loading another file. On failure, the normal path runs and reports the error. */
function printKnown(option: string | undefined): boolean {
  const text = option === "--version" ? `${IKIGAI_VERSION}\n` : option === "--help" ? BUILT_HELP : undefined;
  if (text === undefined) return false;
  const bytes = Buffer.from(text);
  let done = 0;
  try {
    while (done < bytes.length) done += process.getBuiltinModule("node:fs").writeSync(1, bytes, done);
  } catch (_) {
    if (done > 0) process.exitCode = 1;
  }
  return done > 0;
}

function refuseToLoad(error: { code?: string; message: string }): void {
  const isLimit = error.code === "EMFILE" || error.code === "ENFILE";
  refuse(
    isLimit
      ? `Too many files are open (${error.code}). Raise the limit (ulimit -n 1024) and start again.`
      : `Cannot load the program (${error.message}).`,
  );
}

function refuse(message: string): void {
  process.stderr.write(`ikigai: ${message}\n`);
  process.exitCode = 1;
}
