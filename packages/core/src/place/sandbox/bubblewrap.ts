import { accessSync, constants, statSync } from "node:fs";
import { mountPlan } from "./mount-plan.ts";
import { filterFd, type SandboxPolicy, type SandboxPrefix } from "./sandbox-policy.ts";
import { socketFilter } from "./socket-filter.ts";

/**
 * Where it may be. Not `PATH`: started through a package manager that begins with a directory of the project, whose `bwrap`
 * would be run without a question.
 */
const places = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/** Names another one. */
const placeVariable = "IKIGAI_BWRAP";

/** Namespaces of its own for everything but the network, and no privilege in them: nothing can be mounted or unmounted. */
const isolation = [
  "--unshare-user-try",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--cap-drop",
  "ALL",
  // The kernel ends it with the host, whatever becomes of the watchdog.
  "--die-with-parent",
];

/** What runs a command line under bubblewrap. */
export function bubblewrapPrefix(policy: SandboxPolicy): SandboxPrefix {
  const program = findBubblewrap();
  if (program === undefined) return { problem: missing };
  const filter = socketFilter({ unix: policy.sockets === true });
  if (filter === undefined) return { problem: `it cannot keep tools from sockets on this machine (${process.arch})` };
  const network = policy.network ? [] : ["--unshare-net"];
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
      program,
      ...isolation,
      ...network,
      ...base,
      ...mounts(policy),
      ...["--seccomp", String(filterFd), "--chdir", policy.cwd, "--"],
    ],
    filter,
  };
}

/** Root owns the kernel's settings there, and needs no privilege to write to them: one of them names a program to be run. */
function isRoot(): boolean {
  return process.getuid?.() === 0;
}

const missing =
  'the program bwrap is missing; install it (Debian: "apt install bubblewrap"), or do without the sandbox';

function findBubblewrap(): string | undefined {
  const wanted = process.env[placeVariable];
  return (wanted ? [wanted] : places).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function mounts(policy: SandboxPolicy): string[] {
  // Parents first: what is mounted later lies over what was mounted before.
  const plan = [...mountPlan(policy)].sort(([a], [b]) => (a < b ? -1 : 1));
  const options: string[] = [];
  const closed: string[] = [];
  for (const [path, view] of plan) {
    if (view === "changeable") options.push("--bind", path, path);
    else if (view === "shown") options.push("--ro-bind", path, path);
    else if (view === "temporary") options.push("--bind", policy.temporaryDir, path);
    else if (!statSync(path).isDirectory()) options.push("--ro-bind", "/dev/null", path);
    else {
      options.push("--tmpfs", path);
      // Once everything that is shown in it has its place.
      closed.push("--remount-ro", path);
    }
  }
  return [...options, ...closed];
}
