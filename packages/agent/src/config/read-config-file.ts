import { isUtf8 } from "node:buffer";
import { closeSync, fstatSync, lstatSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { openRegularFile, otherWriter, ownerProblem, shellWord, systemReason, takingOver } from "@ikigai/system";

/** A longer file is rejected, in bytes. */
const maxConfigBytes = 1_048_576;

/** The text of the file, or why it cannot be used. */
export type ConfigText = { readonly text: string } | { readonly problem: string };

/**
 * Reads the configuration file; empty if it does not exist. Skips a byte order mark, which some editors write.
 *
 * Never throws and never blocks: anything else at this path is a problem.
 */
export function readConfigFile(path: string): ConfigText {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return leadsNowhere(dirname(path)) ?? { text: "" };
    const problem = directoryProblem(dirname(path)) ?? directoryProblem(dirname(realpathSync(path)));
    return problem === undefined ? readOpened(path) : { problem };
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    const owner = ["EACCES", "EPERM"].includes(code) ? ownerProblem(path, dirname(path)) : undefined;
    if (owner !== undefined) return { problem: `cannot be read: ${systemReason(error as Error)}. ${owner}` };
    if (code === "ENOTDIR") return { text: "" };
    if (code === "ENOENT")
      return { problem: "is a symlink to a file that does not exist. Restore the file or remove the symlink." };
    return { problem: `cannot be read: ${message}.` };
  }
}

/** Behind a dangling symlink there may be a configuration on a disk that is not mounted. */
function leadsNowhere(directory: string): ConfigText | undefined {
  const isLink = lstatSync(directory, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (!isLink || statSync(directory, { throwIfNoEntry: false }) !== undefined) return undefined;
  return {
    problem: `cannot be found: ${directory} is a symlink to a directory that does not exist. Restore the directory or remove the symlink.`,
  };
}

/** Says why no file in this directory is read: others who can write to it can replace the file. `undefined` if they cannot. */
export function directoryProblem(directory: string): string | undefined {
  const stats = statSync(directory);
  const writer = otherWriter(stats);
  return writer === undefined ? undefined : `is in ${directory}, which ${writer}. ${advice(directory, stats)}`;
}

function readOpened(path: string): ConfigText {
  const fd = openRegularFile(path);
  if (fd === undefined) return { problem: `is ${kindOf(path)}, not a file. Replace it with a file or remove it.` };
  try {
    const stats = fstatSync(fd);
    const writer = otherWriter(stats);
    if (writer !== undefined) return { problem: `${writer}. ${advice(path, stats)}` };
    if (stats.size > maxConfigBytes) return { problem: `is longer than ${maxConfigBytes} bytes.` };
    const bytes = readFileSync(fd);
    if (!isUtf8(bytes)) return { problem: "is not UTF-8. Save it as UTF-8." };
    return { text: bytes.toString("utf8").replace(/^\ufeff/, "") };
  } finally {
    closeSync(fd);
  }
}

function advice(path: string, { uid }: Pick<Stats, "uid">): string {
  const commands = [takingOver(path, uid), `chmod go-w ${shellWord(path)}`];
  return `If you trust its content: ${commands.filter(Boolean).join(" && ")}`;
}

function kindOf(path: string): string {
  const stats = statSync(path);
  if (stats.isDirectory()) return "a directory";
  if (stats.isFIFO()) return "a FIFO";
  if (stats.isSocket()) return "a socket";
  return "a device";
}
