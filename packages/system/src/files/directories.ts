// Directories: made, listed, and who else could write there.
import { createHash } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { constants as systemConstants, userInfo } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { shellWord, systemReason } from "../text/words.ts";
import { isInside, realPathOf, statsOf, userHome, walkLinks } from "./paths.ts";

/**
 * Creates a directory and its missing parents, with this mode (default: 0o777 without the umask). Replaces Node's
 * `recursive: true`, which never returns below `/proc` and in a removed working directory: this tries each parent once.
 *
 * @throws the system's error, for example EEXIST if a file is in the way.
 */
export function makeDirectories(path: string, mode = 0o777): void {
  const obstacle = obstacleTo(path, mode);
  if (obstacle === undefined) return;
  if (obstacle.code !== "ENOENT" || dirname(path) === path) throw obstacle;
  makeDirectories(dirname(path), mode);
  const remaining = obstacleTo(path, mode);
  if (remaining !== undefined) throw remaining;
}

/** Creates one directory. Returns the system's error if it is missing afterwards. */
function obstacleTo(path: string, mode: number): NodeJS.ErrnoException | undefined {
  try {
    mkdirSync(path, { mode });
    return undefined;
  } catch (error) {
    return isDirectory(path) ? undefined : (error as NodeJS.ErrnoException);
  }
}

/** Whether a path leads to a directory. Never throws. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

const refusals = ["EACCES", "EPERM", "EROFS"];

/** Everyone may list it, and no one but root may enter it. */
const closedMode = 0o444;

/**
 * Creates the file (without `content`: the directory) if nothing exists. Returns whether it exists afterwards; false if
 * permission is denied.
 *
 * @param isClosed whether no one may enter the directory.
 * @throws the system's error for other failures.
 */
export function makeIfMissing(
  path: string,
  content?: string,
  { isClosed = false }: { readonly isClosed?: boolean | undefined } = {},
): boolean {
  try {
    if (content === undefined) mkdirSync(path, { mode: isClosed ? closedMode : 0o777 });
    else writeFileSync(path, content, { flag: "wx" });
    return true;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return true;
    if (refusals.includes(code)) return false;
    throw error;
  }
}

/** Whether it is a directory, not a link to one, that no one but root may enter. */
export function isClosedDirectory(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && (stats.mode & 0o111) === 0;
}

/** Data about a user is accessible to that user only. */
export const privateDirectoryMode = 0o700;
export const privateFileMode = 0o600;

/** What the system says about a directory that cannot be written. */
const codes: readonly (string | undefined)[] = ["EACCES", "EPERM", "EROFS"];

/**
 * Says which directory could not be written, and what to do: the end of a sentence. `undefined` for any other error, also for one
 * about a file.
 */
export function unwritableDirectory(error: unknown): string | undefined {
  // A link's text is its path, and a renamed file's destination matters more.
  const { code, path, dest = path } = error as NodeJS.ErrnoException & { readonly dest?: string };
  if (dest === undefined || !isAbsolute(dest) || !codes.includes(code)) return undefined;
  let above = dirname(dest);
  while (!existsSync(above)) above = dirname(above);
  const directory = [above, ...(statsOf(dest)?.isDirectory() ? [dest] : [])].find((one) => !canWrite(one));
  if (directory === undefined) return undefined;
  const remedies = [
    ...(code === "EACCES" && isOwn(directory) ? [`run chmod u+rwx ${shellWord(directory)}`] : []),
    ...(isInside(directory, ownHome()) ? ["set HOME or IKIGAI_HOME to a directory that can be written"] : []),
  ];
  const what = `${directory} cannot be written: ${systemReason(error as NodeJS.ErrnoException)}`;
  return remedies.length === 0 ? what : `${what}; ${remedies.join(", or ")}`;
}

function canWrite(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isOwn(directory: string): boolean {
  return statSync(directory).uid === process.geteuid?.();
}

function ownHome(): string {
  return process.env.IKIGAI_HOME || join(userHome() ?? "/", ".ikigai");
}

/** The names in a directory; none if it cannot be read. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** The user's directory and a project's have this name. Their parents are not created. */
const ownName = ".ikigai";

/**
 * Creates a directory that only its owner can access, and its parents up to `.ikigai`; a missing home is not created.
 *
 * @throws the system's error, ENOTDIR if a file is in the way; for a home that is missing or cannot be written, it says what to do.
 */
export function makePrivateDirectory(path: string): void {
  const obstacle = obstacleTo(path, privateDirectoryMode);
  if (obstacle === undefined) return;
  if (obstacle.code === "EEXIST")
    throw Object.assign(obstacle, {
      code: "ENOTDIR",
      errno: -systemConstants.errno.ENOTDIR,
      message: `${path} is not a directory; move it away, so that ikigai can create it`,
    });
  if (basename(path) === ownName) throw inWords(obstacle, path);
  if ((obstacle.code !== "ENOENT" && obstacle.code !== "ENOTDIR") || dirname(path) === path) throw obstacle;
  makePrivateDirectory(dirname(path));
  const remaining = obstacleTo(path, privateDirectoryMode);
  if (remaining !== undefined) throw remaining;
}

/** The system's error in words: in a container, the home may be missing or read-only. */
function inWords(error: NodeJS.ErrnoException, path: string): NodeJS.ErrnoException {
  const home = dirname(path);
  const what =
    error.code === "ENOENT"
      ? `the directory ${home} does not exist`
      : error.code === "ENOTDIR"
        ? `${home} is not a directory`
        : `cannot create ${path}: ${systemReason(error)}`;
  return Object.assign(error, { message: `${what}; set HOME or IKIGAI_HOME to a directory that can be written` });
}

/** As many as make two directories with the same digits impossible in practice. */
const idDigits = 16;

/**
 * Returns the place of the user's own tools, packages and data that count in one directory only. Named after the directory's real path,
 * and outside of it: nothing in a project leads there. Loads the module for hashes.
 */
export function hereDirectory({ home, projectDir }: { readonly home: string; readonly projectDir: string }): string {
  const id = createHash("sha256").update(realPathOf(projectDir)).digest("hex").slice(0, idDigits);
  return join(hereDirectories(home), id);
}

/** Returns the directory of all those places. */
export function hereDirectories(home: string): string {
  return join(resolve(home), "projects");
}

/** The command that makes a file the user's own; `undefined` if it is. */
export function takingOver(place: string, uid: number | undefined, isForAll = false): string | undefined {
  const self = process.geteuid?.();
  if (self === undefined || uid === undefined || uid === self) return undefined;
  return `${self === 0 ? "" : "sudo "}chown ${isForAll ? "-R " : ""}${self} ${shellWord(place)}`;
}

/** Says what to do so that only the user and root can write a file or directory, or all that is in it: a command. */
export function writerRemedy(place: string, { uid }: Pick<Stats, "uid">, isForAll = false): string {
  const command = uid === 0 ? undefined : takingOver(place, uid, isForAll);
  return command === undefined
    ? `chmod ${isForAll ? "-R " : ""}go-w ${shellWord(place)}`
    : `if you trust it, ${command}`;
}

/**
 * Says who else could have written one of these files and directories, or chosen what a link leads to, and what to do: sentences without
 * the last full stop. `undefined` if only the user and root could. What cannot be reached is reported where it is read.
 */
export function writerProblem(places: readonly string[]): string | undefined {
  for (const place of places) {
    const problem = problemOf(place) ?? problemOfLink(place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOf(place: string): string | undefined {
  const stats = statsOf(place);
  // A device is reported where it is read.
  const writer = stats && (stats.isFile() || stats.isDirectory()) ? otherWriter(stats) : undefined;
  return stats && writer && `${place} ${writer}. To fix it: ${writerRemedy(place, stats)}`;
}

/** Who writes one of the directories that a link leads through chooses what it leads to. */
function problemOfLink(place: string): string | undefined {
  if (!statsOf(place, lstatSync)?.isSymbolicLink() || statsOf(place) === undefined) return undefined;
  try {
    const { links, target } = walkLinks(place);
    const directories = [...links, target].filter((step) => !isKept(step)).map(dirname);
    return directories.map(problemOf).find((problem) => problem !== undefined);
  } catch (error) {
    const why = `${place} leads through links that cannot be followed: ${systemReason(error as Error)}`;
    return `${why}. To fix it: make it a link to the file itself`;
  }
}

/** Whether the sticky bit of its directory, such as /tmp, keeps others from replacing a file: only its owner may, or root. */
function isKept(path: string): boolean {
  const directory = statsOf(dirname(path));
  const isSticky = directory !== undefined && (directory.mode & 0o1000) !== 0;
  const owner = statsOf(path, lstatSync)?.uid;
  return isSticky && (owner === 0 || owner === process.geteuid?.());
}

/** Write permission for others and for the group. */
const writeByWorld = 0o002;
const writeByGroup = 0o020;

/**
 * Says who else may have written a file, or added one to a directory; `undefined` if only the user and root can. A group
 * whose only member is the user does not count: many systems create one per user, with a umask of 002.
 *
 * The sticky bit does not help: it stops others from removing a file, not from adding one first.
 */
export function otherWriter({ mode, uid, gid }: Pick<Stats, "mode" | "uid" | "gid">): string | undefined {
  const self = process.geteuid?.() ?? uid;
  if (uid !== self && uid !== 0) return `belongs to another user (uid ${uid})`;
  const isOpen = (mode & writeByWorld) !== 0 || ((mode & writeByGroup) !== 0 && !isOwnGroup(gid));
  return isOpen ? `can be written by others (mode ${(mode & 0o7777).toString(8)})` : undefined;
}

/** Whether a group is the user's own, as far as the system's group list says. */
function isOwnGroup(gid: number): boolean {
  if (gid !== process.getegid?.()) return false;
  try {
    const { username } = userInfo();
    const groups = readFileSync("/etc/group", "utf8")
      .split("\n")
      .map((line) => line.split(":"));
    const found = groups.filter(([, , id]) => id === String(gid));
    return found.length === 1 && found.every(([name, , , members = ""]) => name === username && /^$/.test(members));
  } catch {
    return false;
  }
}

/**
 * Says that a path, or the nearest directory of it that can be seen, belongs to another user, as after a start of ikigai with sudo, and how
 * to change that. For a path that this process has no permission to use.
 *
 * @param all the directory whose files should all be the user's
 * @returns sentences; `undefined` if it belongs to this user.
 */
export function ownerProblem(path: string, all: string): string | undefined {
  const user = process.geteuid?.();
  let place = path;
  while (place !== dirname(place) && statsOf(place, lstatSync) === undefined) place = dirname(place);
  const owner = statsOf(place, lstatSync)?.uid;
  // Root may use everything.
  if (user === undefined || user === 0 || owner === undefined || owner === user) return undefined;
  const who = owner === 0 ? "root" : `another user (uid ${owner})`;
  return `${place} belongs to ${who}. ${remedyFor(place, all, user)}`;
}

function remedyFor(place: string, all: string, user: number): string {
  // Another user's home, as after su without a dash, must not be taken over.
  if (!isInside(place, all)) return "Set HOME or IKIGAI_HOME to a directory of your own.";
  // An administrator's directory for everyone neither.
  if (!isInside(all, userHome() ?? all))
    return "Sessions and settings cannot be saved there. To save them, set IKIGAI_HOME to a directory of your own.";
  return `To make it yours: sudo chown -R ${nameOf(user)} ${shellWord(all)}`;
}

function nameOf(user: number): string {
  try {
    return shellWord(userInfo().username);
  } catch {
    // A user that the system does not know.
    return String(user);
  }
}

/** Why this user cannot execute a file, as the end of a sentence, and a command or words that tell what to do. */
interface ExecutionProblem {
  readonly why: string;
  readonly remedy: string;
}

/**
 * Says why this user cannot execute a file; `undefined` if they can.
 *
 * @throws the system's error if the file is missing or cannot be reached.
 */
export function executionProblem(path: string): ExecutionProblem | undefined {
  const { mode, uid } = statSync(path);
  try {
    accessSync(path, constants.X_OK);
    return undefined;
  } catch {
    // With this mode, only the file system can forbid it.
    const needed = uid === process.geteuid?.() ? 0o100 : 0o111;
    if ((mode & needed) !== needed) return { why: "it is not executable", remedy: `chmod +x ${shellWord(path)}` };
    const remedy = "keep it on another one (IKIGAI_HOME names the directory for your own tools)";
    return { why: "its file system is mounted noexec, so no program on it can be started", remedy };
  }
}
