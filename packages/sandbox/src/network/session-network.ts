import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Asker, Door, DoorOptions, HostVerdict, Target, Traffic } from "@ikigai/http/door";
import { atExit } from "@ikigai/system";
import type { SessionNetwork } from "../place.ts";
import { type Listener, makeNamespace, type Namespace } from "./namespace.ts";

/** What decides about hosts. */
export interface NetworkOptions extends Omit<DoorOptions, "askerOf" | "ruleFor"> {
  /** What the rules say about a host, and what the tool that wants to reach it needs; `undefined` if neither is about it. */
  readonly ruleFor: (target: Target, hosts: readonly string[]) => HostVerdict | undefined;
  /** Ports of this machine's localhost that rules open: the door listens there, too. Default: none. */
  readonly localPorts?: () => readonly number[];
}

/** Where programs expect a proxy. */
const doorPort = 3128;

/** Servers in the namespace are reached without the door. */
const direct = "localhost,127.0.0.1,::1";

/** Creates the network of a session. Nothing is started yet. */
export function sessionNetwork({ localPorts = () => [], ruleFor, ...options }: NetworkOptions): SessionNetwork {
  const key = randomBytes(32);
  const passwordOf = (user: string) => createHmac("sha256", key).update(user).digest("hex").slice(0, 32);
  const askerOf = (user: string, password: string) => {
    const [own, given] = [passwordOf(user), password].map((text) => Buffer.from(text));
    return own && given && own.length === given.length && timingSafeEqual(own, given) ? readUser(user) : undefined;
  };
  let state: { readonly made: Promise<void>; namespace?: Namespace; door?: Door; problem?: string } | undefined;
  const listening = new Set<number>();
  const needed = new Map<string, readonly string[]>();
  let past: readonly Traffic[] = [];
  const close = () => {
    past = [...past, ...(state?.door?.traffic() ?? [])];
    state?.door?.close();
    state?.namespace?.end();
    state = undefined;
    listening.clear();
  };
  atExit(close);
  return {
    async start() {
      state ??= begin();
      await state.made;
      await listenOnPorts();
    },
    entrance() {
      if (state?.problem !== undefined) return { problem: state.problem };
      return state?.door && state.namespace && { argv: state.namespace.entrance };
    },
    variables({ name, hosts }, env, call) {
      const user = userOf(name, call);
      if (hosts.length > 0) needed.set(user, hosts);
      else needed.delete(user);
      return proxyVariables(`http://${user}:${passwordOf(user)}@127.0.0.1:${doorPort}`, env);
    },
    traffic: () => [...past, ...(state?.door?.traffic() ?? [])],
    close,
  };

  function begin(): NonNullable<typeof state> {
    const own: NonNullable<typeof state> = {
      made: make().catch((error: Error) => {
        own.problem = error.message;
      }),
    };
    return own;

    async function make(): Promise<void> {
      const [namespace, { openDoor }] = await Promise.all([makeNamespace(), import("@ikigai/http/door")]);
      if (state !== own) return namespace.end();
      own.namespace = namespace;
      void namespace.ended.then(() => {
        if (state === own) close();
      });
      const [listener] = await namespace.listen([doorPort]);
      if (listener?.server === undefined) throw new Error(`it cannot listen on port ${doorPort} (${listener?.error})`);
      const hostsOf = ({ tool, call }: Target) => needed.get(userOf(tool, call)) ?? [];
      const door = openDoor({ ...options, askerOf, ruleFor: (target) => ruleFor(target, hostsOf(target)) });
      door.serve(listener.server);
      own.door = door;
    }
  }

  /** A port that a server of the session uses already stays its own. */
  async function listenOnPorts(): Promise<void> {
    const wanted = localPorts().filter((port) => port !== doorPort && !listening.has(port));
    const { namespace, door } = state ?? {};
    if (wanted.length === 0 || !namespace || !door) return;
    for (const port of wanted) listening.add(port);
    const opened = await namespace.listen(wanted).catch((): Listener[] => []);
    for (const { server, port } of opened) if (server) door.forward(server, port);
  }
}

/** The longest ID of a call in a user name, in characters: SOCKS5 has room for 255 bytes. */
const maxCallLength = 64;

/** Makes such a network as a test, and ends it. Returns why that fails: the end of a sentence; `undefined` if it works. */
export async function networkProblem(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const network = sessionNetwork({ env, ruleFor: () => undefined });
  await network.start();
  const entrance = network.entrance();
  network.close();
  return entrance && "problem" in entrance ? entrance.problem : undefined;
}

/** The user name of a tool or a call: of letters, digits and `_-.`, which no program encodes in its own way. */
function userOf(tool: string, call = ""): string {
  return call === "" || call.length > maxCallLength ? tool : `${tool}.${Buffer.from(call).toString("base64url")}`;
}

function readUser(user: string): Asker {
  const [tool = "", call] = user.split(".");
  return { tool, ...(call !== undefined && { call: Buffer.from(call, "base64url").toString() }) };
}

function proxyVariables(url: string, { GIT_CONFIG_PARAMETERS: given }: NodeJS.ProcessEnv): Record<string, string> {
  const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  return {
    ...Object.fromEntries(proxies.map((name) => [name, url])),
    ...{ NO_PROXY: direct, no_proxy: direct },
    ...{ npm_config_proxy: url, npm_config_https_proxy: url, npm_config_noproxy: direct },
    NODE_USE_ENV_PROXY: "1",
    // Otherwise git asks without a password first; and it would use a proxy of the user's configuration, which cannot be reached.
    GIT_HTTP_PROXY_AUTHMETHOD: "basic",
    GIT_CONFIG_PARAMETERS: [...(given ? [given] : []), `'http.proxy=${url}'`].join(" "),
  };
}
