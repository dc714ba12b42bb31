import { connect } from "node:tls";

/** How long a server may take to accept a connection, in milliseconds. One nearby takes a few; one far away is no loss. */
const connectMs = 1_500;

/**
 * Returns the address at which an https server proves with its certificate that it has its name. What its DNS says is no proof: it can
 * name this computer as well.
 *
 * @returns `undefined` if it does not answer.
 */
export function answeringAddress({ hostname, port }: URL): Promise<string | undefined> {
  // Certificates are checked even if NODE_TLS_REJECT_UNAUTHORIZED says otherwise.
  const socket = connect({ host: hostname, port: Number(port || 443), servername: hostname, rejectUnauthorized: true });
  return new Promise((resolve) => {
    socket.setTimeout(connectMs, () => socket.destroy());
    // The end of the connection follows.
    socket.on("error", () => {});
    socket.once("close", () => resolve(undefined));
    socket.once("secureConnect", () => {
      resolve(socket.remoteAddress);
      socket.destroy();
    });
  });
}
