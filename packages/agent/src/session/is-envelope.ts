/** Whether a text is what came of a call, whole: what shows it and what sends it rely on each field. */
export function isEnvelope(json: string): boolean {
  try {
    const envelope: unknown = JSON.parse(json);
    if (!isObject(envelope)) return false;
    if (envelope.tool_success === true) return isObject(envelope.result);
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

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
