import { accessSync, closeSync, constants, existsSync, lstatSync, openSync, readSync, statSync } from "node:fs";

/** How much of a file is read to find its `#!` line, in bytes: Linux itself looks no farther. */
const maxShebangBytes = 256;

/** Says why a program could not be started. The system's ENOENT alone may mean five different things. */
export function explainStartFailure(path: string, cwd: string, error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "EACCES") return explainMissing(path, cwd) ?? explainCode(code, error);
  return explainCode(code, error);
}

/** What the `#!` line of a file is, without `#!`; undefined when there is none or the file cannot be read. */
export function readShebang(path: string): string | undefined {
  try {
    if (!statSync(path).isFile()) return undefined;
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const head = Buffer.alloc(maxShebangBytes);
      const text = head.toString("latin1", 0, readSync(fd, head));
      return text.startsWith("#!") ? (text.slice(2).split("\n")[0] ?? "") : undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

function explainMissing(path: string, cwd: string): string | undefined {
  if (!existsSync(cwd)) return `the working directory is gone: ${cwd}`;
  if (!existsSync(path)) return isLink(path) ? "link target missing" : "the file is gone";
  const shebang = readShebang(path);
  if (shebang?.endsWith("\r")) return "CRLF line ending in the #! line; save the file with LF line endings";
  const interpreter = shebang?.trim().split(/\s+/)[0];
  if (interpreter && !existsSync(interpreter)) return `the interpreter of its #! line is missing: ${interpreter}`;
  if (!isExecutable(path)) return `no permission to execute it; try: chmod +x ${path}`;
  if (interpreter && !isExecutable(interpreter)) return `no permission to execute its interpreter: ${interpreter}`;
  return undefined;
}

function explainCode(code: string | undefined, error: Error): string {
  return reasons[code ?? ""] ?? error.message;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file, or a library it needs is missing",
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  ELOOP: "too many levels of symbolic links",
  ENOTDIR: "a part of the path is not a directory",
  ETXTBSY: "the file is being written; try again",
  E2BIG: "the environment is too large",
  ENOEXEC: "not a program this system can run",
  EMFILE: "too many open files; try again",
  ENFILE: "too many open files in the system; try again",
  EAGAIN: "too many processes; try again",
  ENOMEM: "out of memory",
  ERR_INVALID_ARG_VALUE: "the path or the environment holds a NUL character",
};

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
