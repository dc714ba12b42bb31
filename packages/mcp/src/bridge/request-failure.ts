import { redact } from "@ikigai/system";
import { ProtocolError, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { BridgeError } from "./bridge-error.ts";
import type { Connection } from "./connect.ts";
import { errorWords, shortened } from "./error-words.ts";
import { serverFailure } from "./http/server-failure.ts";
import type { ServerPlace } from "./server-place.ts";

/** Says why a request to a server has failed; returns what is a bug as it is. */
export async function requestFailure(
  { howEnded, lastWords }: Pick<Connection, "howEnded" | "lastWords">,
  place: ServerPlace,
  error: unknown,
  what: "call" | "list",
): Promise<unknown> {
  const { name, secrets, target } = place;
  const known = "url" in target ? await serverFailure(place, error, "failed") : undefined;
  if (known) return known;
  if (error instanceof BridgeError)
    return error.code === "MCP_REQUEST_FAILED" ? failed(`The MCP server ${name} failed: ${error.message}`) : error;
  if (error instanceof ProtocolError)
    return failed(`The MCP server ${name} answered with error ${error.code}: ${shortened(error.message)}`);
  if (!(error instanceof SdkError)) return error;
  switch (error.code) {
    case SdkErrorCode.ConnectionClosed:
      return new BridgeError(
        "SERVICE_DIED",
        `The MCP server ${name} ${howEnded()} during the ${what}. ${lastWords()}`.trim(),
      );
    case SdkErrorCode.RequestTimeout:
      return new BridgeError(
        "TOOL_TIMEOUT",
        `The MCP server ${name} did not answer in time. The ${what} was cancelled.`,
      );
    default:
      return failed(`The MCP server ${name} failed: ${errorWords(error)}`);
  }

  function failed(text: string): BridgeError {
    return new BridgeError("MCP_REQUEST_FAILED", redact(text, secrets));
  }
}
