/** Sends a signal to every process of a group; none being left is fine. */
export function signalGroup(groupId: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-groupId, signal);
  } catch {
    // ESRCH: nobody is left. EPERM: macOS says so of a group of zombies.
  }
}

/** Asks a group to end. SIGCONT goes along, as a stopped process never gets to see SIGTERM. */
export function askGroupToEnd(groupId: number): void {
  signalGroup(groupId, "SIGTERM");
  signalGroup(groupId, "SIGCONT");
}

/** Kills what is left of a group; says whether there was anything. */
export function killGroup(groupId: number): boolean {
  try {
    return process.kill(-groupId, "SIGKILL");
  } catch {
    return false;
  }
}
