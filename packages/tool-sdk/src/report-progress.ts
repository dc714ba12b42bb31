import { type Progress, textStart } from "@ikigai/protocol";
import { writeAll } from "@ikigai/system";

/** The longest message of a report, in characters: hosts show one line. */
const maxMessageLength = 1_000;

/** The first descriptor that is not stdin, stdout or stderr. */
const firstExtraFd = 3;

/** Returns a function that writes progress lines to the descriptor named by `IKIGAI_PROGRESS_FD`, or does nothing without one. */
export function reportProgress(descriptor: string | undefined): (update: Progress) => void {
  const fd = Number(descriptor ?? "");
  let isOpen = Number.isInteger(fd) && fd >= firstExtraFd;
  return (update) => {
    if (!isOpen) return;
    const line = `${progressText(update)}\n`;
    try {
      writeAll(fd, line);
    } catch {
      // The host has closed it, or never opened it. A call does not fail for lack of a listener.
      isOpen = false;
    }
  };
}

/** A report as JSON. */
export function progressText({ progress, total, message }: Progress): string {
  return JSON.stringify({ progress, total, message: message && textStart(message, maxMessageLength) });
}
