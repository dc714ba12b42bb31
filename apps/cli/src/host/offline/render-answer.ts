import type { ToolMessage } from "@ikigai/agent/internal";
import type { Envelope, JsonObject, JsonValue } from "@ikigai/protocol";

/** Says what came of a call. */
export function renderAnswer({ name, json }: ToolMessage): string {
  const envelope = JSON.parse(json) as Envelope;
  if (!envelope.tool_success) return join([`${envelope.error} (${envelope.error_code})`, envelope.stderr]);
  const { result } = envelope;
  if (typeof result.error === "string") return renderError(result);
  return join([
    renderResult(name, result),
    result.truncated === true ? "(The output was longer and has been cut.)" : "",
    typeof result.hint === "string" ? `(${result.hint})` : "",
  ]);
}

function renderError(result: JsonObject): string {
  const { error, error_code: code, hint, help } = result;
  const steps = (help as { steps?: JsonValue[] } | undefined)?.steps;
  return join([
    `${error}${typeof code === "string" ? ` (${code})` : ""}`,
    typeof hint === "string" ? hint : "",
    ...(Array.isArray(steps) ? steps.map(String) : []),
  ]);
}

function renderResult(name: string, result: JsonObject): string {
  const { output, exit_code: exitCode, count, pid, log } = result;
  if (typeof output !== "string") return JSON.stringify(result, null, 2);
  if (pid !== undefined) return join([output, `Runs in the background as process ${pid}; its output goes to ${log}.`]);
  if (typeof exitCode === "number")
    return join([output, exitCode === 0 ? "" : `exit code ${exitCode}`]) || "(no output)";
  if (typeof count === "number") return join([output, countText(name, count)]);
  return output === "" ? "(nothing)" : output;
}

function countText(name: string, count: number): string {
  const thing = name === "grep" ? "match" : "file";
  if (count === 0) return `No ${thing}.`;
  return `${count} ${thing}${count === 1 ? "" : thing === "match" ? "es" : "s"}.`;
}

/** What there is, each on lines of its own. */
function join(parts: readonly string[]): string {
  const filled = parts.filter((part) => part !== "");
  return filled.map((part, index) => (index < filled.length - 1 && !part.endsWith("\n") ? `${part}\n` : part)).join("");
}
