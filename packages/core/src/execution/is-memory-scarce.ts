/** Below this much available memory, in bytes, no process is kept. */
const scarceBytes = 268_435_456;

/** Whether so little memory is available that no process is kept waiting. */
export function isMemoryScarce(): boolean {
  return process.availableMemory() < scarceBytes;
}
