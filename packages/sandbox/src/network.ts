// The network of a session: the namespace that all its sandboxes are in, and the door out of it. The last part makes the namespace: a
// process holds it, and another one enters it, listens there, and hands its sockets over.

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Server, Socket } from "node:net";
import type { Readable } from "node:stream";
import type { Asker, Door, DoorOptions, HostVerdict, Target, Traffic } from "@ikigai/http/door";
import { atExit, isProgram, startProgram } from "@ikigai/system";
import { findBubblewrap, whyMissing } from "./bubblewrap.ts";
import type { SessionNetwork } from "./place.ts";

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

type ChildProcess = ReturnType<typeof startProgram>;

/** A network namespace with nothing but its own loopback interface. It ends with this process. */
interface Namespace {
  /** The words before a command line that is to run in it. */
  readonly entrance: readonly string[];
  /** Listens on 127.0.0.1 inside of it. The connections arrive in this process. */
  listen(ports: readonly number[]): Promise<Listener[]>;
  /** Settles when it has ended. */
  readonly ended: Promise<void>;
  end(): void;
}

/** A server that listens in a namespace, or the code of the error. */
interface Listener {
  readonly port: number;
  readonly server?: Server;
  readonly error?: string;
}

/** Like bwrap, it is not searched for on PATH. */
const places = ["/usr/bin/nsenter", "/bin/nsenter", "/usr/local/bin/nsenter", "/run/current-system/sw/bin/nsenter"];

/** Far more than starting two programs takes. */
const timeoutMs = 30_000;

/** Holds the namespace: without processes it would end. Ends with its stdin. */
const holder = [
  ...["--unshare-user", "--unshare-net", "--cap-drop", "ALL", "--ro-bind", "/", "/"],
  ...[
    "--new-session",
    "--die-with-parent",
    "--info-fd",
    "3",
    "--",
    "/bin/sh",
    "-c",
    "echo up; read -r end",
    `ikigai-network ${process.pid}`,
  ],
];

/** Listens, and hands each socket to its parent: the only way to get one out of another namespace. */
const listenScript = `const net = require("node:net");
let left = process.argv.length - 1;
const done = () => --left === 0 && process.disconnect();
for (const port of process.argv.slice(1).map(Number)) {
  const server = net.createServer();
  server.once("error", (error) => process.send({ port, error: error.code }, done));
  server.listen(port, "127.0.0.1", () => process.send({ port }, server, () => { server.close(); done(); }));
}`;

/**
 * Makes a network namespace.
 *
 * @throws Error, the end of a sentence for people.
 */
async function makeNamespace(): Promise<Namespace> {
  const bwrap = findBubblewrap();
  if (bwrap === undefined) throw new Error(whyMissing());
  const nsenter = places.find(isProgram);
  if (nsenter === undefined)
    throw new Error('the program nsenter is missing; install it (Debian: "apt install util-linux")');
  const child = startProgram(bwrap, holder, { env: {}, cwd: "/", detached: true }, "pipe", "pipe", "pipe", "pipe");
  const ended = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
  const end = () => void child.kill("SIGKILL");
  try {
    const pid = await unlessEnded(holderPid(child), ended, child);
    forgetProcess(child);
    const entrance = [nsenter, "-t", String(pid), "-U", "-n", "--preserve-credentials", "--"];
    return { entrance, ended, end, listen: (ports) => listenIn(entrance, ports) };
  } catch (error) {
    end();
    throw error;
  }
}

/** Settles as `work`, unless the process ends before, or time is over. */
async function unlessEnded<Value>(work: Promise<Value>, ended: Promise<void>, child: ChildProcess): Promise<Value> {
  let complaint = "";
  child.stderr?.on("data", (chunk) => {
    complaint = (complaint + chunk).slice(0, 1_000);
  });
  let timer: NodeJS.Timeout | undefined;
  const failed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs / 1_000} s`)), timeoutMs);
    // What it says may arrive after its end.
    void ended.then(() => setTimeout(() => reject(new Error(complaint.trim() || "it ended at once")), 50));
  });
  failed.catch(() => {});
  try {
    return await Promise.race([work, failed]);
  } finally {
    clearTimeout(timer);
  }
}

/** The process in the namespace, when its loopback interface is up. */
async function holderPid({ stdout, stdio }: ChildProcess): Promise<number> {
  for (const stream of stdio) stream?.on("error", () => {});
  const text = (stream: Readable | null | undefined, isWhole: (text: string) => boolean) =>
    new Promise<string>((resolve) => {
      let all = "";
      stream?.on("data", (chunk) => {
        all += chunk;
        if (isWhole(all)) resolve(all);
      });
    });
  const info = text(stdio[3] as Readable | null, (all) => all.trimEnd().endsWith("}"));
  await text(stdout, (all) => all.includes("up"));
  return (JSON.parse(await info) as { "child-pid": number })["child-pid"];
}

async function listenIn([nsenter = "", ...entrance]: readonly string[], ports: readonly number[]): Promise<Listener[]> {
  const args = [...entrance, process.execPath, "-e", listenScript, ...ports.map(String)];
  const child = startProgram(nsenter, args, { env: {}, cwd: "/" }, "ignore", "ignore", "pipe", "ipc");
  const ended = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
  const found: Listener[] = [];
  const all = new Promise<Listener[]>((resolve) => {
    child.on("message", (message: Omit<Listener, "server">, server) => {
      (server as Server | undefined)?.unref();
      found.push({ ...message, ...(server && { server: server as Server }) });
      if (found.length === ports.length) resolve(found);
    });
  });
  try {
    return await unlessEnded(all, ended, child);
  } catch (error) {
    child.kill("SIGKILL");
    for (const { server } of found) server?.close();
    throw error;
  }
}

/** Neither the process nor its pipes keep this one alive. */
function forgetProcess(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio) (stream as Socket | null | undefined)?.unref();
}
