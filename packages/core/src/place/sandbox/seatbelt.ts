import { existsSync } from "node:fs";
import { join } from "node:path";
import { realPathOf } from "@ikigai/system";
import { pointedPlaces } from "./pointed-places.ts";
import { programPlaces } from "./program-places.ts";
import type { SandboxPolicy, SandboxPrefix } from "./sandbox-policy.ts";
import { secretPlacesOf } from "./secret-places.ts";

// macOS. Only the text of the profile is tested; no test here runs it on a Mac.

const program = "/usr/bin/sandbox-exec";
const resolver = "/private/var/run/mDNSResponder";

/**
 * Builds the sandbox-exec command. Unlike mounts, its rules also cover paths that do not exist yet. There is no process
 * namespace: what a tool leaves behind is found by its group and its environment, as without a sandbox.
 */
export function seatbeltPrefix(policy: SandboxPolicy): SandboxPrefix {
  if (!existsSync(program)) return { problem: `${program}, which comes with macOS, is missing` };
  return { argv: [program, "-p", seatbeltProfile(policy)] };
}

/** The rules; the last one that matches counts. */
export function seatbeltProfile(policy: SandboxPolicy): string {
  const { home, userHome, projectDir, network, isReadOnly, temporaryDir } = policy;
  const changeable = [temporaryDir, ...(isReadOnly ? [] : [projectDir, ...policy.writable])];
  const repository = policy.git ? [".git/hooks", ".git/config", ".git/config.worktree", ".git/commondir"] : [".git"];
  const deciding = [".ikigai", "HEAD", ...repository].map((path) => join(projectDir, path));
  const pointed = pointedPlaces(policy, [projectDir, userHome]);
  const secrets = [home, ...secretPlacesOf(userHome, policy.environment), ...pointed.secret, ...policy.hidden];
  const shown = [
    join(home, "tools"),
    projectDir,
    temporaryDir,
    ...policy.readable,
    ...pointed.granted,
    ...policy.toolFiles,
  ];
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    `(allow file-write* ${subpaths(changeable)} (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))`,
    `(deny file-write* ${subpaths([...deciding, ...programPlaces(changeable.map(realPathOf), policy.environment)])})`,
    // Renaming the directory would move the protected files in it.
    `(deny file-write-unlink (literal ${quoted(join(projectDir, ".git"))}))`,
    `(deny file-read* file-write* ${subpaths(secrets)})`,
    `(allow file-read* ${subpaths(shown)})`,
    ...[policy.dataDir, policy.stateDir].flatMap((own) =>
      own === undefined ? [] : [`(allow file-read* file-write* ${subpaths([own])})`],
    ),
    ...(policy.hidden.length > 0 ? [`(deny file-read* ${subpaths(policy.hidden)})`] : []),
    "(deny signal)",
    "(allow signal (target same-sandbox))",
    '(deny mach-lookup (global-name "com.apple.SecurityServer"))',
    ...(network ? [] : ["(deny network*)"]),
    // Host names are resolved through a socket.
    ...(policy.sockets || !network
      ? []
      : ["(deny network-outbound (remote unix-socket))", `(allow network-outbound (literal ${quoted(resolver)}))`]),
  ].join("\n");
}

/** Uses real paths, as the system does: `/tmp` is `/private/tmp`. */
function subpaths(paths: readonly string[]): string {
  return paths.map((path) => `(subpath ${quoted(realPathOf(path))})`).join(" ");
}

function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, "\\$&")}"`;
}
