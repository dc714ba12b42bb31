import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import {
  type HostReply,
  type HostRequestErrorCode,
  type JsonObject,
  maxHostLineBytes,
  maxHostRequests,
  progressFd,
} from "@ikigai/protocol";
import { lineReader, parseObject } from "@ikigai/system";

/** The time of an agent, which stands still while a person is asked. */
export interface AgentClock {
  stop(): void;
  start(): void;
}

/**
 * Passes on the requests of an agent to the host of this call, and the replies to the agent: one request at a time, and no more than
 * the host answers. Nothing else that the agent writes reaches the host. Does nothing if the host does not listen.
 *
 * @param agent descriptor 3 of the agent.
 */
export function relayRequests(agent: Duplex, clock: AgentClock): void {
  const host = hostSocket();
  if (!host) return;
  let requests = 0;
  let open: { readonly id: number; isCancelled: boolean } | undefined;

  const refuse = (id: number | null, code: HostRequestErrorCode, message: string) => {
    const reply: HostReply = { id, error: { code, message } };
    send(agent, JSON.stringify(reply));
  };
  const cancel = (id: number) => {
    if (open?.id !== id || open.isCancelled) return;
    open.isCancelled = true;
    send(host, JSON.stringify({ id, method: "cancel" }));
  };
  const take = ({ id, method, params }: JsonObject) => {
    if (typeof id !== "number" || !Number.isSafeInteger(id) || typeof method !== "string") return;
    if (method === "cancel") return cancel(id);
    if (open) return refuse(id, "REQUEST_OPEN", "The previous request has no reply yet.");
    if (++requests > maxHostRequests) {
      return refuse(id, "TOO_MANY_REQUESTS", `A call may make ${maxHostRequests} requests.`);
    }
    open = { id, isCancelled: false };
    clock.stop();
    // Written again, so that the host reads what was read here.
    send(host, JSON.stringify({ id, method, params }));
  };
  const answer = (line: Buffer) => {
    const id = parseObject(line.toString())?.id;
    if (!open || (id !== open.id && id !== null)) return;
    open = undefined;
    clock.start();
    send(agent, line.toString());
  };

  const fromAgent = lineReader(maxHostLineBytes, (line) => take(parseObject(line.toString()) ?? {}));
  const fromHost = lineReader(maxHostLineBytes, answer);
  agent.on("data", fromAgent.add);
  host.on("data", fromHost.add);
  for (const event of ["end", "close", "error"]) agent.on(event, () => open && cancel(open.id));
}

/** The host's end of the call, which does not keep this process alive. */
function hostSocket(): Socket | undefined {
  try {
    const socket = new Socket({ fd: progressFd });
    socket.on("error", () => {}).unref();
    return socket;
  } catch {
    return undefined;
  }
}

/** Drops the line if the other side does not read. */
function send(stream: Duplex, line: string): void {
  if (stream.writable && stream.writableLength <= maxHostLineBytes) stream.write(`${line}\n`);
}
