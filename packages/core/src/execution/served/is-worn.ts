import { readFileSync } from "node:fs";

/** A process is replaced after this many calls: whatever a runtime piles up starts again from nothing. */
const maxCalls = 200;

/** A process with more resident memory, in KiB, is replaced. A tool in Node has 50 MiB. */
const maxResidentKib = 150 * 1_024;

/** How often the memory is read: after this many calls. */
const callsPerLook = 10;

/** Whether a process has answered so many calls, or has so much memory, that it is replaced. */
export function isWorn(pid: number, calls: number): boolean {
  return calls >= maxCalls || (calls % callsPerLook === 0 && residentKib(pid) > maxResidentKib);
}

/** The resident memory of a process, in KiB; 0 if it is gone. */
function residentKib(pid: number): number {
  try {
    return Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
