/** What `ikigai` exits with. Beyond 128 stands the number of a signal, as shells have it. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  /** A bug in ikigai itself; sysexits' EX_SOFTWARE. */
  bug: 70,
  hangup: 129,
  interrupted: 130,
  quit: 131,
  brokenPipe: 141,
  terminated: 143,
} as const;
