import { getSystemErrorMap } from "node:util";

const reasons: Readonly<Record<string, string>> = {
  E2BIG: "its arguments and environment are larger than the system allows",
  EAGAIN: "the system cannot start more processes now",
  ELOOP: "too many levels of symbolic links",
  EMFILE: "too many open files",
  ENFILE: "too many open files in the whole system",
  ENOMEM: "out of memory",
  ERR_INVALID_ARG_VALUE: "its path, arguments or environment contain a NUL character",
  ETXTBSY: "the file is open for writing",
};

/** Returns a readable reason for a system error. */
export function systemReason(error: NodeJS.ErrnoException): string {
  const { code = "", errno } = error;
  return reasons[code] ?? getSystemErrorMap().get(errno ?? 0)?.[1] ?? error.message;
}
