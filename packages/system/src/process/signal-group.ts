/** Sends a signal to every process of a group; false when there is none. Signal 0 only asks. */
export function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-groupId, signal);
  } catch {
    // ESRCH: nobody is left. EPERM: what is left is a zombie (macOS), or runs as somebody else.
    return false;
  }
}
