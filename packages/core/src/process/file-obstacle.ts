import { readHead } from "@ikigai/system";

/**
 * Returns why a file must not even be started: it looks neither like a program nor like text. The system hands unknown files
 * to a shell, which would run arbitrary bytes as commands.
 */
export function fileObstacle(path: string): string | undefined {
  const head = readHead(path);
  // Executable but unreadable: let the system decide.
  if (head === undefined || programMagic.includes(head.toString("hex", 0, 4))) return undefined;
  if (head.length === 0) return "it is empty";
  return head.includes(0) ? "it is neither a program nor a script" : undefined;
}

/** ELF; Mach-O 64-bit, Mach-O 32-bit, and Mach-O universal. */
const programMagic: readonly string[] = ["7f454c46", "cffaedfe", "cefaedfe", "cafebabe"];
