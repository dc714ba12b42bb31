// A server that is a program: started, spoken to over stdin and stdout, and ended with everything that it started.

import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { isJsonObject } from "@ikigai/protocol";
import { lineReader, signalGroup, tellingLine } from "@ikigai/system";
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { maxMessageBytes } from "./server-transport.ts";

/** How to start a server. */
export interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** How long a server gets to end after its input was closed, and after SIGTERM, in milliseconds. A tool has two seconds in all. */
const endMs = 800;
const termMs = 500;

/** How long to read on after its exit, in milliseconds: what it left behind may hold the pipe. */
const drainMs = 250;

/** How long it may go on after it has closed its input or output, in milliseconds. */
const hungUpMs = 1_000;

/**
 * A server as a process. Unlike the library's own transport it kills the whole process group of the server, ends when the server has
 * exited though something it left behind holds the pipe or when it can no longer be talked to, reads long answers in linear time,
 * limits what it does not read, and gives the server only the environment of its entry.
 */
export class StdioServer implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** These two names tell the library that a probe without an answer means an older server, not an outage. */
  readonly stderr = null;
  readonly pid = null;
  readonly #program: ServerProgram;
  readonly #said: (text: string) => void;
  readonly #lines = lineReader(
    maxMessageBytes,
    (line) => this.#take(line.toString("utf8")),
    () => this.#end(`It has sent a line of more than ${maxMessageBytes} bytes.`),
  );
  #child: ChildProcess | undefined;
  #watch: InputWatch | undefined;
  #startedAtMs = 0;
  #startMs = 0;
  #isOver = false;
  #isClosing = false;
  #fault = "";
  #exit = "exited";
  readonly #stray = new StrayText();
  #over: (() => void) | undefined;
  readonly #ended = new Promise<void>((settle) => {
    this.#over = settle;
  });

  /** @param said gets what the server prints on stderr. */
  constructor(program: ServerProgram, said: (text: string) => void) {
    this.#program = program;
    this.#said = said;
  }

  /** How long it took from its start to its first output, in milliseconds. */
  get startMs(): number {
    return this.#startMs;
  }

  /** What was wrong with it so that it had to be ended, one sentence; empty if nothing was. */
  get fault(): string {
    return this.#fault;
  }

  /** Whether it has ended without being asked to. */
  get hasDied(): boolean {
    return this.#isOver && !this.#isClosing;
  }

  /** How it has ended, as a verb. */
  get howEnded(): string {
    return this.#fault === "" ? this.#exit : "exited";
  }

  /** The line of its stdout that is not MCP and says why it has ended; may be empty. */
  get strayLine(): string {
    return this.#stray.tellingLine(this.#lines.rest().toString("utf8"));
  }

  async start(): Promise<void> {
    this.#startedAtMs = performance.now();
    const { command, args, env, cwd } = this.#program;
    // In its own group, so that all of it can be ended without the host's or the shell's other processes.
    const child = spawn(command, args, { env: { ...env }, cwd, stdio: ["pipe", "pipe", "pipe"], detached: true });
    this.#child = child;
    this.#watch = new InputWatch(child.stdin);
    child.stdin.on("error", (error) => {
      this.onerror?.(error);
      void this.#hungUp("input");
    });
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk)).on("end", () => void this.#hungUp("output"));
    child.stderr.setEncoding("utf8").on("data", (text: string) => this.#said(text));
    child.once("exit", (code, signal) => {
      if (!this.#isClosing) this.#exit = signal === null ? `exited with code ${code}` : `was killed by ${signal}`;
      void this.#exited(child);
    });
    await new Promise<void>((settle, fail) => {
      child.once("spawn", settle);
      child.once("error", (error) => {
        this.#finish();
        fail(error);
      });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin;
    if (this.#isOver || !input?.writable) throw new Error("The server has ended.");
    this.#watch?.sent(message);
    if (input.write(serializeMessage(message))) return;
    if (input.writableLength > maxMessageBytes) this.#end("It does not read its input.");
    await Promise.race([new Promise((settle) => input.once("drain", settle)), this.#ended]);
  }

  /** Ends the server: closes its input, then SIGTERM, then SIGKILL to its group. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child || this.#isOver) return this.#finish();
    this.#isClosing = true;
    child.stdin?.end();
    if (!(await this.#endsWithin(endMs))) {
      this.#signal("SIGTERM");
      if (!(await this.#endsWithin(termMs))) this.#signal("SIGKILL");
    }
    await this.#endsWithin(endMs);
    this.#finish();
  }

  /** Ends a server that is broken. */
  #end(fault: string): void {
    this.#fault ||= fault;
    this.#signal("SIGKILL");
  }

  /** Ends a server that lives on without a connection. */
  async #hungUp(what: "input" | "output"): Promise<void> {
    if (!this.#isClosing && !(await this.#endsWithin(hungUpMs))) this.#end(`It has closed its ${what}.`);
  }

  async #endsWithin(ms: number): Promise<boolean> {
    const timer = new AbortController();
    const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
    const isOver = await Promise.race([this.#ended.then(() => true), late]);
    timer.abort();
    return isOver;
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child?.pid !== undefined) signalGroup(this.#child.pid, signal);
  }

  #read(chunk: Buffer): void {
    this.#startMs ||= performance.now() - this.#startedAtMs;
    this.#lines.add(chunk);
  }

  #take(line: string): void {
    if (this.#fault !== "") return;
    this.#receive(line);
    if (this.#stray.isFlood) this.#end("It prints too much on stdout that is not MCP.");
  }

  #receive(line: string): void {
    const message = readMessage(line);
    this.#stray.note(line, message !== undefined);
    if (!message) return;
    this.#watch?.received(message);
    // The library handles a notification a little later than a response, and drops progress that comes after the answer.
    if ("method" in message) this.onmessage?.(message);
    else setImmediate(() => this.onmessage?.(message));
  }

  async #exited(child: ChildProcess): Promise<void> {
    const isDrained = new Promise((settle) => child.once("close", settle));
    await Promise.race([isDrained, sleep(drainMs, undefined, { ref: false })]);
    // What it has left running is not the server any more.
    this.#signal("SIGKILL");
    this.#finish();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#watch?.stop();
    this.#over?.();
    this.onclose?.();
  }
}

/** How often to look, in milliseconds. */
const lookMs = 250;

/**
 * Notices that a process has closed its input while it owes an answer: the system says so only to a program that writes, and the next
 * message may be minutes away. The stream then emits its error.
 */
class InputWatch {
  readonly #input: Writable;
  readonly #unanswered = new Set<unknown>();
  #timer: NodeJS.Timeout | undefined;

  constructor(input: Writable) {
    this.#input = input;
  }

  sent(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if ("id" in message) this.#unanswered.add(message.id);
    else if (message.method === "notifications/cancelled") this.#unanswered.delete(message.params?.requestId);
    this.#adapt();
  }

  received(message: JSONRPCMessage): void {
    if (!("method" in message) && this.#unanswered.delete(message.id)) this.#adapt();
  }

  stop(): void {
    this.#unanswered.clear();
    this.#adapt();
  }

  #adapt(): void {
    if (this.#unanswered.size > 0) this.#timer ??= setInterval(() => this.#look(), lookMs).unref();
    else {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  /** Writes nothing, which fails like any write. A write that is still waiting would fail anyway. */
  #look(): void {
    if (this.#input.writable && this.#input.writableLength === 0) this.#input.write("");
  }
}

/** The error of JSON-RPC for an invalid message. */
const invalid = { code: -32_600, message: "its response is not one of MCP" };

/**
 * Reads a line. One that is not a message is not meant for us: many servers print a greeting. But a call must not wait for an answer
 * that has come and is invalid.
 */
function readMessage(line: string): JSONRPCMessage | undefined {
  try {
    return deserializeMessage(line);
  } catch {
    const id = idOf(line);
    return id === undefined ? undefined : { jsonrpc: "2.0", id, error: invalid };
  }
}

/** The id in a line that is meant as a response. */
function idOf(line: string): string | number | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isJsonObject(value) || "method" in value) return undefined;
    return typeof value.id === "string" || typeof value.id === "number" ? value.id : undefined;
  } catch {
    return undefined;
  }
}

/** How much is kept to be quoted, in characters. */
const maxKeptLength = 4_096;

/**
 * How much may come before the first message, in lines and bytes. Greetings and logs on the wrong stream are shorter; reading a program
 * that prints without end would keep the bridge busy until its time is up.
 */
const maxGreeting = { lines: 10_000, bytes: 1_048_576 };

/** How much may come between two messages, in lines and bytes. */
const maxBetween = { lines: 100_000, bytes: maxMessageBytes };

/** What a server prints to stdout that is not MCP. */
export class StrayText {
  #kept = "";
  #lines = 0;
  #bytes = 0;
  #hasSpoken = false;

  /** Takes a line. A greeting does not explain an end after the first message. */
  note(line: string, isMessage: boolean): void {
    if (isMessage) {
      this.#forget();
      return;
    }
    this.#lines++;
    this.#bytes += Buffer.byteLength(line) + 1;
    if (this.#kept.length < maxKeptLength) this.#kept = `${this.#kept}${line}\n`.slice(0, maxKeptLength);
  }

  /** Whether it is more than a server that works prints. */
  get isFlood(): boolean {
    const most = this.#hasSpoken ? maxBetween : maxGreeting;
    return this.#lines > most.lines || this.#bytes > most.bytes;
  }

  /** The line that explains the end of the server, or an empty string. @param rest the unfinished last line */
  tellingLine(rest: string): string {
    return tellingLine((this.#kept + rest).slice(0, maxKeptLength));
  }

  #forget(): void {
    this.#kept = "";
    this.#lines = 0;
    this.#bytes = 0;
    this.#hasSpoken = true;
  }
}
