import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { signalGroup } from "@ikigai/system";
import { type JSONRPCMessage, serializeMessage, type Transport } from "@modelcontextprotocol/client";
import { InputWatch } from "./input-watch.ts";
import { LineTooLong, MessageReader, maxMessageBytes } from "./message-reader.ts";
import { readMessage } from "./read-message.ts";
import { StrayText } from "./stray-text.ts";

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
  readonly #reader = new MessageReader();
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
    return this.#stray.tellingLine(this.#reader.rest);
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
    try {
      for (const line of this.#reader.push(chunk)) {
        if (this.#fault !== "") return;
        this.#receive(line);
        if (this.#stray.isFlood) this.#end("It prints too much on stdout that is not MCP.");
      }
    } catch (error) {
      if (!(error instanceof LineTooLong)) throw error;
      this.onerror?.(error);
      this.#end(`It has sent a line of more than ${maxMessageBytes} bytes.`);
    }
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
