import { isJsonObject } from "@ikigai/protocol";
/** Whether a text is a complete envelope: callers rely on each of its fields. */
export function isEnvelope(json: string): boolean {
  try {
    const envelope: unknown = JSON.parse(json);
    if (!isJsonObject(envelope)) return false;
    if (envelope.tool_success === true) return isJsonObject(envelope.result);
    const { error, error_code: code, exit_code: exitCode, stdout, stderr } = envelope;
    const texts = [error, code, stdout, stderr];
    return (
      envelope.tool_success === false && texts.every(isText) && (exitCode === null || typeof exitCode === "number")
    );
  } catch {
    return false;
  }
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}
