import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import {
  type AskParams,
  type HostMethod,
  hostMethods,
  isJsonObject,
  type JsonObject,
  maxHostLineBytes,
  type PermissionParams,
  progressFd,
} from "@ikigai/protocol";
import { lineReader, parseObject, unlessAborted } from "@ikigai/system";

/** The connection of an agent to the host of the call that started it. */
export interface ParentLink {
  readonly methods: readonly HostMethod[];
  /**
   * Makes a request, after those before it. Returns the result; `undefined` without one: no one can be asked, or the signal
   * has been aborted, which cancels it. Never rejects.
   */
  request(
    method: HostMethod,
    params: AskParams | PermissionParams,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined>;
}

/**
 * Returns the connection that an agent has inherited; `undefined` if the call that started it offers none, as that of an agent in the
 * background.
 */
export function openParentLink({ IKIGAI_HOST_METHODS: named = "" }: NodeJS.ProcessEnv): ParentLink | undefined {
  const methods = hostMethods.filter((method) => named.split(" ").includes(method));
  if (methods.length === 0) return undefined;
  const socket = inheritedSocket();
  return socket && { methods, ...requester(socket) };
}

function inheritedSocket(): Socket | undefined {
  try {
    if (!fstatSync(progressFd).isSocket()) return undefined;
    // Nothing is read while no request is open, so it does not keep the process alive.
    return new Socket({ fd: progressFd }).unref();
  } catch {
    return undefined;
  }
}

function requester(socket: Socket): Pick<ParentLink, "request"> {
  let lastId = 0;
  let isClosed = false;
  let previous: Promise<unknown> = Promise.resolve();
  let replied = (_reply: JsonObject) => {};
  const write = (line: object) => socket.write(`${JSON.stringify(line)}\n`);
  socket.on("data", lineReader(maxHostLineBytes, (line) => replied(parseObject(line.toString()) ?? {})).add);
  for (const event of ["end", "error", "close"]) {
    socket.on(event, () => {
      isClosed = true;
      // To the request that waits, as if it had been refused.
      replied({ id: lastId });
    });
  }

  /** Waits for the reply even if it is cancelled: the next request may only follow then. */
  async function exchange(method: HostMethod, params: object, signal: AbortSignal): Promise<JsonObject> {
    if (isClosed || signal.aborted) return {};
    const request = { id: ++lastId, method, params };
    if (Buffer.byteLength(JSON.stringify(request)) > maxHostLineBytes) return {};
    const cancel = () => write({ id: request.id, method: "cancel" });
    socket.ref();
    signal.addEventListener("abort", cancel);
    try {
      return await new Promise<JsonObject>((settle) => {
        replied = (reply) => reply.id === request.id && settle(reply);
        write(request);
      });
    } finally {
      signal.removeEventListener("abort", cancel);
      socket.unref();
    }
  }

  return {
    async request(method, params, signal) {
      const reply = previous.then(() => exchange(method, params, signal));
      previous = reply;
      const { result } = (await unlessAborted(reply, signal)) ?? {};
      return isJsonObject(result) ? result : undefined;
    },
  };
}
