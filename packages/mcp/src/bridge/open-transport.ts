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
    if (transport.fault !== "") options.log(`${place.name}: ${transport.fault}\n`);
  };
  return {
    transport,
    lastWords: () => transport.fault || (stderr.reason && `It printed: ${stderr.reason}`),
    hasDied: () => transport.hasDied,
    startMs: () => transport.startMs,
    close: () => transport.close(),
  };
}
