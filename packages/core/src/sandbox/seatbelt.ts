import { existsSync } from "node:fs";
import { join } from "node:path";
import { realPathOf } from "../files/real-path-of.ts";
import type { SandboxPolicy, Wrapped } from "./sandbox-policy.ts";
import { secretPlaces } from "./secret-places.ts";

// macOS. The profile is tested as text only: no test here has run it on a Mac.

const program = "/usr/bin/sandbox-exec";

/**
 * A command line that runs another one under sandbox-exec. Unlike mounts, its rules hold for what does not exist yet. It has
 * no processes of its own: what a tool leaves behind is found by its group and its environment, as without a sandbox.
 */
export function wrapInSeatbelt(argv: readonly string[], policy: SandboxPolicy): Wrapped {
  if (!existsSync(program)) return { problem: `the program ${program} is missing, which comes with macOS` };
  return { argv: [program, "-p", seatbeltProfile(policy), ...argv] };
}

/** The rules; of those that match, the last one counts. */
export function seatbeltProfile(policy: SandboxPolicy): string {
  const { home, userHome, projectDir, network, isReadOnly, temporaryDir } = policy;
  const changeable = [temporaryDir, ...(isReadOnly ? [] : [projectDir, ...policy.writable])];
  const deciding = [".ikigai", ".git/hooks", ".git/config", ".git/config.worktree", ".git/commondir"];
  const secrets = [home, ...secretPlaces.map((path) => join(userHome, path)), ...policy.hidden];
  const shown = [join(home, "tools"), projectDir, temporaryDir, ...policy.readable, ...policy.toolFiles];
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    `(allow file-write* ${subpaths(changeable)} (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))`,
    `(deny file-write* ${subpaths(deciding.map((path) => join(projectDir, path)))})`,
    // What lies in a directory moves with it.
    `(deny file-write-unlink (literal ${quoted(join(projectDir, ".git"))}))`,
    `(deny file-read* file-write* ${subpaths(secrets)})`,
    `(allow file-read* ${subpaths(shown)})`,
    ...(policy.hidden.length > 0 ? [`(deny file-read* ${subpaths(policy.hidden)})`] : []),
    "(deny signal)",
    "(allow signal (target same-sandbox))",
    '(deny mach-lookup (global-name "com.apple.SecurityServer"))',
    ...(network ? [] : ["(deny network*)"]),
  ].join("\n");
}

/** The system compares real paths: `/tmp` is `/private/tmp`. */
function subpaths(paths: readonly string[]): string {
  return paths.map((path) => `(subpath ${quoted(realPathOf(path))})`).join(" ");
}

function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, "\\$&")}"`;
}
