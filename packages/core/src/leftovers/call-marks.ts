/** Names this host among all others of the machine's running time: process numbers come again, the monotonic clock does not. */
export const hostId = `${process.pid}-${process.hrtime.bigint()}`;

/** The variable that holds it. A host sets it for every process it starts. */
export const hostIdVariable = "IKIGAI_HOST_ID";

/**
 * What the environment of a call's processes contains, and no other's: whatever they start inherits it, so that what left the
 * process group (`setsid`, a double fork) is still found.
 *
 * A process started without `IKIGAI_CALL_ID` is not the call's any more and outlives it: so does bash with what it was
 * asked to run in the background.
 */
export function callMarks(callId: string): readonly string[] {
  return [`${hostIdVariable}=${hostId}`, `IKIGAI_CALL_ID=${callId}`];
}
