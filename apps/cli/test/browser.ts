import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { tempDir } from "@ikigai/testing";
import { onTestFinished } from "vitest";

/** Chromium's command; undefined if it is not installed. */
export const chromium = ["chromium", "google-chrome"].find((name) => spawnSync(name, ["--version"]).status === 0);

/** A page in Chromium without a window. */
export interface BrowserPage {
  /** Calls a method of the DevTools protocol: https://chromedevtools.github.io/devtools-protocol/ */
  send(method: string, params?: object): Promise<Record<string, unknown>>;
  /** The value of a JavaScript expression in the page. */
  evaluate<T>(expression: string): Promise<T>;
  /** A PNG. */
  screenshot(): Promise<Buffer>;
  press(key: string, modifiers?: number): Promise<void>;
  /** What the page has reported so far: errors, refused requests, and anything on the console. */
  readonly problems: readonly string[];
  /** The addresses that it has asked for. */
  readonly requested: readonly string[];
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** Opens a page, and waits until it is loaded. */
export async function openPage(url: string, { width = 1200, height = 900 } = {}): Promise<BrowserPage> {
  const connection = await startChromium();
  const { targetId } = await connection.send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
  const send = (method: string, params: object = {}) => connection.send(method, params, String(sessionId));
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await send(`${domain}.enable`);
  await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 });
  const loaded = connection.next("Page.loadEventFired");
  await send("Page.navigate", { url });
  await loaded;
  return {
    problems: connection.problems,
    requested: connection.requested,
    send,
    async evaluate<T>(expression: string) {
      const params = { expression, returnByValue: true, awaitPromise: true };
      const { result, exceptionDetails } = await send("Runtime.evaluate", params);
      if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
      return (result as { value: T }).value;
    },
    async screenshot() {
      const { data } = await send("Page.captureScreenshot", { format: "png" });
      return Buffer.from(String(data), "base64");
    },
    async press(key, modifiers = 0) {
      const text = key === "Enter" ? { text: "\r" } : key.length === 1 ? { text: key } : {};
      await send("Input.dispatchKeyEvent", { type: "keyDown", key, modifiers, ...text });
      await send("Input.dispatchKeyEvent", { type: "keyUp", key, modifiers });
    },
  };
}

async function startChromium() {
  const home = await tempDir();
  const args = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--remote-debugging-pipe",
    `--user-data-dir=${home}`,
  ];
  const child = spawn(chromium ?? "chromium", args, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  const input = child.stdio[3] as Writable;
  const answers = new Map<number, (message: Message) => void>();
  const awaited = new Map<string, () => void>();
  const problems: string[] = [];
  const requested: string[] = [];
  const take = (message: Message) => {
    const { id, method = "", params } = message;
    if (id !== undefined) answers.get(id)?.(message);
    awaited.get(method)?.();
    if (["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"].includes(method))
      problems.push(JSON.stringify(params));
    if (method === "Network.requestWillBeSent") requested.push((params as { request: { url: string } }).request.url);
  };
  readMessages(child.stdio[4] as Readable, take);
  let count = 0;
  return {
    problems,
    requested,
    next: (method: string) => new Promise<void>((resolve) => awaited.set(method, resolve)),
    async send(method: string, params: object, sessionId?: string) {
      const id = ++count;
      const answer = new Promise<Message>((resolve) => answers.set(id, resolve));
      input.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
      const { error, result = {} } = await answer;
      if (error) throw new Error(`${method}: ${error.message}`);
      return result;
    },
  };
}

/** Messages end with a zero byte. */
function readMessages(stream: Readable, take: (message: Message) => void): void {
  let rest = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = `${rest}${chunk}`.split("\0");
    rest = parts.pop() ?? "";
    for (const part of parts) take(JSON.parse(part));
  });
}
