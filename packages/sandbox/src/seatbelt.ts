// The sandbox on macOS: the command line of sandbox-exec, and its profile for a policy. Only the text of that is tested: no test here runs on
// a Mac.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { isInside, realPathOf } from "@ikigai/system";
import { installedTools, neededByTools, programPlaces } from "./mount-plan.ts";
import type { SandboxPolicy, SandboxPrefix } from "./place.ts";
import { pointedPlaces, secretPlacesOf } from "./visible.ts";

const program = "/usr/bin/sandbox-exec";
const resolver = "/private/var/run/mDNSResponder";

/**
 * Builds the sandbox-exec command. Paths are real, as the system sees them: `/tmp` is `/private/tmp`. Unlike mounts, its
 * rules also cover paths that do not exist yet. There is no process namespace: what a tool leaves behind is found by its group and its environment, as without a sandbox.
 */
export function seatbeltPrefix(policy: SandboxPolicy): SandboxPrefix {
  if (!existsSync(program)) return { problem: `${program}, which comes with macOS, is missing` };
  return { argv: [program, "-p", seatbeltProfile(policy)] };
}

/** Paths that may or may not be read or written, with all that is in them. */
interface FileRule {
  readonly verdict: "allow" | "deny";
  readonly operations: readonly ("file-read*" | "file-write*")[];
  readonly paths: readonly string[];
}

/** What a tool may do with files; the last rule that matches counts. */
function fileRules(policy: SandboxPolicy): FileRule[] {
  const { home, userHome, projectDir, isReadOnly, temporaryDir, dataDir, stateDir, outputsDir, hidden } = policy;
  const { directories = [] } = policy;
  const changeable = [temporaryDir, ...(isReadOnly ? [] : [projectDir, ...directories, ...policy.writable])];
  const repository = policy.git ? [".git/hooks", ".git/config", ".git/config.worktree", ".git/commondir"] : [".git"];
  const deciding = [".ikigai", "HEAD", ...repository].map((path) => join(projectDir, path));
  const others = directories.flatMap((one) => [".ikigai", "HEAD", ".git"].map((path) => join(one, path)));
  const pointed = pointedPlaces(policy, [projectDir, ...directories, userHome]);
  const secrets = [home, ...secretPlacesOf(userHome, policy.environment), ...pointed.secret, ...hidden];
  const shown = [
    ...[...installedTools(home), ...neededByTools(), projectDir, ...directories, temporaryDir],
    ...[...policy.readable, ...pointed.granted, ...policy.toolFiles, ...(dataDir === undefined ? [] : [dataDir])],
  ];
  const rule = (verdict: FileRule["verdict"], operations: FileRule["operations"], paths: readonly string[]) => {
    return { verdict, operations, paths: paths.filter((path) => path !== "").map(realPathOf) };
  };
  return [
    rule("allow", ["file-write*"], changeable),
    rule(
      "deny",
      ["file-write*"],
      [...deciding, ...others, ...programPlaces(changeable.map(realPathOf), policy.environment)],
    ),
    rule("deny", ["file-read*", "file-write*"], secrets),
    rule("allow", ["file-read*"], shown),
    rule(
      "allow",
      ["file-read*", "file-write*"],
      [isReadOnly ? undefined : dataDir, stateDir, outputsDir].flatMap((own) => own ?? []),
    ),
    rule("deny", ["file-read*", "file-write*"], hidden),
  ].filter(({ paths }) => paths.length > 0);
}

/** Whether the rules let a tool change the file at a path without links. Names of macOS's disks ignore case. */
export function seatbeltLetsChange(path: string, policy: SandboxPolicy): boolean {
  const last = fileRules(policy).findLast(({ operations, paths }) => {
    return operations.includes("file-write*") && paths.some((one) => isInside(path.toLowerCase(), one.toLowerCase()));
  });
  return last?.verdict === "allow";
}

/** The rules; the last one that matches counts. */
export function seatbeltProfile(policy: SandboxPolicy): string {
  const { projectDir, directories = [], network } = policy;
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))',
    ...fileRules(policy).map(({ verdict, operations, paths }) => {
      return `(${verdict} ${operations.join(" ")} ${paths.map((path) => `(subpath ${profileString(path)})`).join(" ")})`;
    }),
    // Renaming the directory would move the protected files in it.
    ...[projectDir, ...directories].map(
      (one) => `(deny file-write-unlink (literal ${profileString(realPathOf(join(one, ".git")))}))`,
    ),
    "(deny signal)",
    "(allow signal (target same-sandbox))",
    '(deny mach-lookup (global-name "com.apple.SecurityServer"))',
    ...(network ? [] : ["(deny network*)"]),
    // Host names are resolved through a socket.
    ...(policy.sockets || !network
      ? []
      : [
          "(deny network-outbound (remote unix-socket))",
          `(allow network-outbound (literal ${profileString(resolver)}))`,
        ]),
  ].join("\n");
}

function profileString(path: string): string {
  return `"${path.replaceAll(/["\\]/g, "\\$&")}"`;
}
