/** Identifies this host among all since boot: process ids are reused, the monotonic clock never repeats. */
export const hostId = `${process.pid}-${process.hrtime.bigint()}`;

/** The variable with the host's id. A host sets it for every process it starts. */
export const hostIdVariable = "IKIGAI_HOST_ID";

/**
 * The variable of processes that answer several calls. They must not pass it on, so that a process with it and without a call
 * id is either one of them or a fork of one.
 */
export const serveVariable = "IKIGAI_SERVE";

/** The variable of a service and of what it starts. A process without it is not the service's, and outlives it. */
export const serviceIdVariable = "IKIGAI_SERVICE_ID";

/** The environment entries that identify the processes of a service. @param id unique among the services of this host. */
export function serviceMarks(id: string): readonly string[] {
  return [`${hostIdVariable}=${hostId}`, `${serviceIdVariable}=${id}`];
}

/**
 * Returns the call ID of a process that no model has called, such as a hook. A model chooses the IDs of its calls, and the end of a
 * call kills every process with its ID, so a model must not be able to guess this one. The module for random bytes would cost each start
 * several milliseconds; no one who does not run in this process knows the nanosecond and the number.
 */
export function hostCallId(purpose: string): string {
  return `${purpose}-${process.hrtime.bigint()}-${String(Math.random()).slice(2)}`;
}

/**
 * The environment entries that identify a call's processes. Children inherit them, so that processes that left the process
 * group (`setsid`, a double fork) are still found.
 *
 * A process started without `IKIGAI_CALL_ID` no longer belongs to
 * the call and outlives it. bash uses that for background commands.
 */
export function callMarks(callId: string): readonly string[] {
  return [`${hostIdVariable}=${hostId}`, `IKIGAI_CALL_ID=${callId}`];
}
