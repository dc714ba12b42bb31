/** Sends a signal to a process group; returns whether there is one. Signal 0 only checks. */
export function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-groupId, signal);
  } catch {
    // ESRCH: the group is empty. EPERM: only zombies are left (macOS), or processes of another user.
    return false;
  }
}
