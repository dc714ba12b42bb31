import { statSync } from "node:fs";
import { isLinux, isProgram, realPathOf } from "@ikigai/system";
import { type Mount, mountCheck } from "./mount-check.ts";
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
  const { options, mounts } = mountOptions(views, policy);
  return {
    argv: [
      ...joined,
      program,
      ...isolation,
      ...network,
      ...base,
      ...options,
      ...["--seccomp", String(filterFd), "--chdir", policy.cwd, "--"],
      ...mountCheck(mounts),
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

function mountOptions(
  views: MountPlan,
  policy: SandboxPolicy,
): { readonly options: readonly string[]; readonly mounts: readonly Mount[] } {
  // Parents first: later mounts lie over earlier ones.
  const plan = [...views].sort(([a], [b]) => (a < b ? -1 : 1));
  const options: string[] = [];
  const mounts: Mount[] = [];
  const closed: string[] = [];
  const caches = cacheMounts(policy);
  const bind = (source: string, path: string, { isReadOnly = false } = {}) => {
    options.push(isReadOnly ? "--ro-bind" : "--bind", source, path);
    mounts.push({ source, path });
  };
  for (const [path, view] of plan) {
    if (view === "changeable") bind(path, path);
    else if (view === "shown") bind(path, path, { isReadOnly: true });
    else if (view === "temporary") bind(realPathOf(policy.temporaryDir), path);
    else if (view === "cache") {
      const { source = policy.temporaryDir, isReadOnly } = caches.get(path) ?? {};
      bind(realPathOf(source), path, { isReadOnly });
    } else {
      mounts.push({ path });
      if (!statSync(path).isDirectory()) options.push("--ro-bind", "/dev/null", path);
      else {
        options.push("--tmpfs", path);
        // Last, once everything shown inside is mounted.
        closed.push("--remount-ro", path);
      }
    }
  }
  return { options: [...options, ...closed], mounts };
}
