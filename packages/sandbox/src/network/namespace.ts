import type { Server, Socket } from "node:net";
import type { Readable } from "node:stream";
import { isProgram, startProgram } from "@ikigai/system";
import { findBubblewrap, whyMissing } from "../bubblewrap.ts";

type ChildProcess = ReturnType<typeof startProgram>;

/** A network namespace with nothing but its own loopback interface. It ends with this process. */
export interface Namespace {
  /** The words before a command line that is to run in it. */
  readonly entrance: readonly string[];
  /** Listens on 127.0.0.1 inside of it. The connections arrive in this process. */
  listen(ports: readonly number[]): Promise<Listener[]>;
  /** Settles when it has ended. */
  readonly ended: Promise<void>;
  end(): void;
}

/** A server that listens in a namespace, or the code of the error. */
export interface Listener {
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
export async function makeNamespace(): Promise<Namespace> {
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
    const pid = await within(holderPid(child), ended, child);
    forgetProcess(child);
    const entrance = [nsenter, "-t", String(pid), "-U", "-n", "--preserve-credentials", "--"];
    return { entrance, ended, end, listen: (ports) => listenIn(entrance, ports) };
  } catch (error) {
    end();
    throw error;
  }
}

/** Settles as `work`, unless the process ends before, or time is over. */
async function within<Value>(work: Promise<Value>, ended: Promise<void>, child: ChildProcess): Promise<Value> {
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
    return await within(all, ended, child);
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
