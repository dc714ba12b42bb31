import { redact } from "@ikigai/system";
import { shortened } from "./error-words.ts";
import { openHttp } from "./http/open-http.ts";
import type { ServerPlace } from "./server-place.ts";
import { ServerStderr } from "./server-stderr.ts";
import type { OpenTransport, TransportOptions } from "./server-transport.ts";
import { StdioServer } from "./stdio-server.ts";

/** Returns the transport to a server, which is not started yet. */
export function openTransport(place: ServerPlace, options: TransportOptions): OpenTransport {
  const { target } = place;
  if ("url" in target) return openHttp(place, target, options);
  const stderr = new ServerStderr(place.secrets, options.log);
  const transport = new StdioServer(target, (text) => stderr.push(text));
  transport.onclose = () => {
    stderr.end();
    if (transport.fault !== "") options.log(`${place.name}: ${faultWords(transport, place)}\n`);
  };
  return {
    transport,
    howEnded: () => transport.howEnded,
    lastWords: () => faultWords(transport, place) || stderrWords(stderr, options) || stdoutWords(transport, place),
    isExplained: () => transport.fault !== "" || stderr.reason !== "",
    hasDied: () => transport.hasDied,
    startMs: () => transport.startMs,
    close: () => transport.close(),
  };
}

function faultWords(transport: StdioServer, place: ServerPlace): string {
  const { fault } = transport;
  return fault && `${fault} ${stdoutWords(transport, place)}`.trim();
}

function stderrWords({ reason, endsWithReason }: ServerStderr, { isLogShown }: TransportOptions): string {
  if (reason === "") return "";
  return isLogShown && endsWithReason ? "Its stderr is above." : `It printed: ${reason}`;
}

function stdoutWords({ strayLine }: StdioServer, { secrets }: ServerPlace): string {
  return strayLine && `It printed on stdout: "${shortened(redact(strayLine, secrets))}".`;
}
