import { readFileSync } from "node:fs";
import { isInside } from "@ikigai/system";

/*
 * bwrap finds paths by their names, after the plan has been made, and follows links. What runs in another sandbox of the project may have
 * put a link in place of a directory meanwhile: then something else would be mounted, or it elsewhere. So before the command starts, a
 * shell in the sandbox compares the kernel's table of mounts with the plan: each must be where it belongs, and show what it should.
 */

/** What bwrap mounts at a path. `source`: the file or directory that is seen there; absent for a new file system, or a device. */
export interface Mount {
  readonly path: string;
  readonly source?: string;
}

/**
 * Its arguments: the mounts, `--`, and the command. Its variables have long names, since those that the command gets must keep their values.
 * It speaks like bwrap, whose failure this is.
 */
const script = `
ikigai_mounts=
while read -r ikigai_id ikigai_parent ikigai_device ikigai_root ikigai_point ikigai_rest; do
  ikigai_mounts="$ikigai_mounts|$ikigai_device $ikigai_root $ikigai_point|"
done </proc/self/mountinfo
until [ "$1" = -- ]; do
  case $ikigai_mounts in
    *"$1|"*) shift ;;
    *) printf 'bwrap: %s was replaced while the sandbox was set up; try again\\n' "\${1##* }" >&2
      exit 1 ;;
  esac
done
shift
exec "$@"
`;

/** Returns the words between bwrap's and the command's that end the sandbox before the command starts if a mount is not what was planned. */
export function mountCheck(mounts: readonly Mount[]): string[] {
  const table = readTable();
  return ["/bin/sh", "-c", script, "ikigai-sandbox", ...mounts.map((mount) => lineOf(mount, table)), "--"];
}

/**
 * Returns the words before the command that set those of its variables again that the shell has dropped, since it does not accept their names,
 * such as that of an exported function of bash.
 */
export function settingAgain(env: NodeJS.ProcessEnv): string[] {
  const odd = Object.entries(env).filter(([name]) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  return odd.length === 0 ? [] : ["/usr/bin/env", ...odd.map(([name, value]) => `${name}=${value}`)];
}

/** The end of a mount's line in the sandbox: with the device and the path on it, which are unknown only below another root directory (chroot). */
function lineOf({ path, source }: Mount, table: readonly TableEntry[]): string {
  const found = source === undefined ? undefined : entryOf(source, table);
  if (source === undefined || found === undefined) return ` ${escaped(path)}`;
  const below = escaped(source).slice(found.point === "/" ? 0 : found.point.length);
  const root = `${found.root === "/" ? "" : found.root}${below}` || "/";
  return `|${found.device} ${root} ${escaped(path)}`;
}

/** A mount of this process, with its paths as the kernel writes them. */
interface TableEntry {
  readonly device: string;
  /** The path on the device. */
  readonly root: string;
  readonly point: string;
}

function readTable(): TableEntry[] {
  return readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const [, , device = "", root = "", point = ""] = line.split(" ");
      return { device, root, point };
    });
}

/** The mount that a path is on: the deepest, and of several at one place the last. */
function entryOf(path: string, table: readonly TableEntry[]): TableEntry | undefined {
  const plain = escaped(path);
  return table
    .filter(({ point }) => isInside(plain, point))
    .reduce<TableEntry | undefined>(
      (deepest, entry) => (deepest && deepest.point.length > entry.point.length ? deepest : entry),
      undefined,
    );
}

/** A path as the kernel writes it there. */
function escaped(path: string): string {
  return path.replace(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`);
}
