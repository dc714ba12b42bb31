import { statSync } from "node:fs";
import { isLinux, isProgram } from "@ikigai/system";
import { decisivePartOf } from "./decisive-files.ts";
import { type MountPlan, mountPlan } from "./mount-plan.ts";
import { cacheMounts } from "./project-cache.ts";
import { filterFd, type SandboxPolicy, type SandboxPrefix } from "./sandbox-policy.ts";
import { socketFilter } from "./socket-filter.ts";

/**
 * Searched for bwrap. `PATH` is not: started through a package manager it begins with a directory of the project, whose `bwrap`
 * would run without approval.
 */
const places = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/** Overrides the places. */
const placeVariable = "IKIGAI_BWRAP";

/**
 * Own namespaces except for the network, and no capabilities in them: nothing can be mounted or unmounted. The filter keeps a tool
 * from making another user namespace, in which it would have them. It has no terminal: the host starts it in its own session.
 */
const isolation = [
  "--unshare-user-try",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--cap-drop",
  "ALL",
  // The kernel kills the sandbox with the host, even if the watchdog is gone.
  "--die-with-parent",
];

/** Why this machine has no sandbox: the end of a sentence. Starts nothing; if it may have one, `sandboxProblem` says whether it works. */
export function whyNoSandbox(): string | undefined {
  if (!isLinux) return "it needs Linux";
  if (findBubblewrap() === undefined) return whyMissing();
  return socketFilter({ unix: false }) === undefined ? noFilter : undefined;
}

const noFilter = `it cannot block sockets on this architecture (${process.arch})`;

/** Builds the bubblewrap command that runs a command line under this policy. */
export function bubblewrapPrefix(policy: SandboxPolicy): SandboxPrefix {
  const program = findBubblewrap();
  if (program === undefined) return { problem: whyMissing() };
  const filter = socketFilter({ unix: policy.sockets === true });
  if (filter === undefined) return { problem: noFilter };
  const views = mountPlan(policy);
  const entrance = policy.isReadOnly ? undefined : policy.door?.entrance();
  const joined = entrance !== undefined && "argv" in entrance ? entrance.argv : [];
  const network = policy.network || joined.length > 0 ? [] : ["--unshare-net"];
  const base = [
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    ...(isRoot() ? ["--remount-ro", "/proc"] : []),
  ];
  return {
    argv: [
      ...joined,
      program,
      ...isolation,
      ...network,
      ...base,
      ...mounts(views, policy),
      ...["--seccomp", String(filterFd), "--chdir", policy.cwd, "--"],
    ],
    filter,
    views,
  };
}

/** Root owns /proc/sys and can write to it without capabilities; one setting there names a program to run. */
function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Says that bwrap is missing: the end of a sentence. */
export function whyMissing(): string {
  const wanted = process.env[placeVariable];
  if (wanted) return `${placeVariable}=${wanted}: no such program`;
  return 'the program bwrap is missing; install it (Debian: "apt install bubblewrap"), or turn the sandbox off';
}

/** The path of bwrap; `undefined` without it. */
export function findBubblewrap(): string | undefined {
  const wanted = process.env[placeVariable];
  return (wanted ? [wanted] : places).find(isProgram);
}

/** Whether a path is protected only if it exists: another call may have moved it since. */
function isIfThere(path: string): boolean {
  return decisivePartOf(path) === path && !path.endsWith("/.ikigai");
}

function mounts(views: MountPlan, policy: SandboxPolicy): string[] {
  // Parents first: later mounts lie over earlier ones.
  const plan = [...views].sort(([a], [b]) => (a < b ? -1 : 1));
  const options: string[] = [];
  const closed: string[] = [];
  const caches = cacheMounts(policy);
  for (const [path, view] of plan) {
    if (view === "changeable") options.push("--bind", path, path);
    else if (view === "shown") options.push(isIfThere(path) ? "--ro-bind-try" : "--ro-bind", path, path);
    else if (view === "temporary") options.push("--bind", policy.temporaryDir, path);
    else if (view === "cache") {
      const { source = policy.temporaryDir, isReadOnly } = caches.get(path) ?? {};
      options.push(isReadOnly ? "--ro-bind" : "--bind", source, path);
    } else if (!statSync(path).isDirectory()) options.push("--ro-bind", "/dev/null", path);
    else {
      options.push("--tmpfs", path);
      // Last, once everything shown inside is mounted.
      closed.push("--remount-ro", path);
    }
  }
  return [...options, ...closed];
}
