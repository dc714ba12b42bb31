// One language server: its start, the files that are open in it, what it says is wrong with them, and its end. It may hang, die, print
// without end or answer for an earlier version of a file: then there is no answer in time, and after three deaths no more starts.

import type { ChildProcess } from "node:child_process";
import { startProgram, within } from "@ikigai/system";
import {
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import type {
  ApplyWorkspaceEditParams,
  ConfigurationParams,
  Diagnostic,
  DocumentDiagnosticReport,
  InitializeParams,
  InitializeResult,
  PublishDiagnosticsParams,
  ServerCapabilities,
  WorkspaceEdit,
} from "vscode-languageserver-protocol";
import { FrameGuard, fromTsserver, pathOf, type TsserverAnswer, uriOf } from "./server-messages.ts";
import { extensionOf, type Installed, type Place, readText, type StartScene } from "./servers.ts";

/** How long a server may take to start, in milliseconds: a JVM on a busy machine. */
const startMs = 60_000;

/** How long it may take for the first file of a project, which it loads then, and for a change of one. */
const firstAnswerMs = 60_000;
const laterAnswerMs = 10_000;

/** How long a request of the model may take, in milliseconds. */
const requestMs = 45_000;

/** After an answer without a version, a server that pushes may send another one, in milliseconds. */
const quietMs = 150;

/** How many messages it may send within five seconds. */
const maxMessages = 20_000;
const floodMs = 5_000;

/** How many files are open at once; the one that was used longest ago is closed. */
const maxOpen = 40;

/** How many problems of one file are kept. */
const maxDiagnostics = 500;

/** A file that is open in the server. */
interface OpenFile {
  version: number;
  text: string;
}

/** What it last said about a file. */
interface Published {
  readonly version: number | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

export class LanguageServer {
  readonly root: string;
  readonly #installed: Installed;
  readonly #scene: StartScene;
  readonly #child: ChildProcess;
  readonly #connection: MessageConnection;
  readonly #open = new Map<string, OpenFile>();
  readonly #published = new Map<string, Published>();
  /** Called when the server has said something about a file. */
  readonly #listeners = new Set<(path: string) => void>();
  readonly #ready: Promise<void>;
  #capabilities: ServerCapabilities = {};
  #hasAnswered = false;
  #messages = 0;
  #countedFromMs = performance.now();
  /** What a command asks to be changed. */
  #wanted: WorkspaceEdit[] = [];
  isOver = false;
  /** Settles when it is over. */
  readonly over: Promise<void>;

  /** Starts it. */
  constructor(installed: Installed, root: string, { projectDir, env }: Place) {
    this.#installed = installed;
    this.root = root;
    this.#scene = { isHeld: env.IKIGAI_SANDBOX !== undefined, projectDir, path: env.PATH };
    const [program = "", ...args] = installed.argv;
    // Outside the sandbox it finds no program of the project.
    const own = this.#scene.isHeld ? {} : { projectDir };
    const child = startProgram(program, args, { cwd: root, env, ...own }, "pipe", "pipe", "ignore");
    this.#child = child;
    this.over = new Promise((settle) => {
      const end = () => {
        this.isOver = true;
        this.#connection?.dispose();
        settle();
      };
      child.once("error", end);
      child.once("exit", end);
    });
    for (const stream of [child.stdin, child.stdout]) stream?.on("error", () => this.kill());
    const frames = new FrameGuard();
    child.stdout?.on("data", (chunk: Buffer) => {
      if (!frames.passes(chunk)) this.kill();
    });
    const silent = { error() {}, warn() {}, info() {}, log() {} };
    const streams = [
      new StreamMessageReader(child.stdout as never),
      new StreamMessageWriter(child.stdin as never),
    ] as const;
    this.#connection = createMessageConnection(...streams, silent, {
      messageStrategy: {
        handleMessage: (message, next) => {
          this.#count();
          if (!this.isOver) next(message);
        },
      },
    });
    this.#listen();
    this.#ready = this.#initialize();
    // Who waits for it learns it from `over`.
    this.#ready.catch(() => {});
  }

  get extensions(): readonly string[] {
    return Object.keys(this.#installed.kind.languages);
  }

  /** Whether it can do something, as it says itself. */
  can(what: keyof ServerCapabilities): boolean {
    return Boolean(this.#capabilities[what]);
  }

  /** Settles when it can be asked. @throws Error if it does not start. */
  async untilReady(): Promise<void> {
    const started = await Promise.race([
      within(
        startMs,
        this.#ready.then(() => true),
      ),
      this.over,
    ]);
    if (started) return;
    this.kill();
    throw new Error("it did not start");
  }

  /** Makes a request. @throws Error if it fails, or is not answered in time. */
  async request<Result>(method: string, params: object, timeoutMs = requestMs): Promise<Result> {
    const sent = this.#connection.sendRequest<Result>(method, params).then((result) => ({ result }));
    sent.catch(() => {});
    const answer = await Promise.race([within(timeoutMs, sent), this.over]);
    if (answer) return answer.result;
    throw new Error(this.isOver ? "it has ended" : `it did not answer within ${timeoutMs / 1_000} s`);
  }

  /** Runs a command of the server, and returns what it asks to be changed. */
  async edits(command: string, args: readonly unknown[]): Promise<readonly WorkspaceEdit[]> {
    this.#wanted = [];
    await this.request("workspace/executeCommand", { command, arguments: args });
    return this.#wanted;
  }

  isOpen(path: string): boolean {
    return this.#open.has(path);
  }

  /** The text of an open file as it was shown. */
  textOf(path: string): string | undefined {
    return this.#open.get(path)?.text;
  }

  openFiles(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** Shows it a file with this text. */
  show(path: string, text: string): void {
    const file = this.#open.get(path);
    const uri = uriOf(path);
    if (!file) {
      const [oldest] = this.#open.size < maxOpen ? [] : this.#open.keys();
      if (oldest !== undefined) this.close(oldest);
      const languageId = this.#installed.kind.languages[extensionOf(path)] ?? extensionOf(path);
      this.#open.set(path, { version: 1, text });
      this.#notify("textDocument/didOpen", { textDocument: { uri, languageId, version: 1, text } });
      return;
    }
    // The one that was used last is at the end.
    this.#open.delete(path);
    this.#open.set(path, file);
    if (file.text === text) return;
    file.text = text;
    file.version++;
    const textDocument = { uri, version: file.version };
    this.#notify("textDocument/didChange", { textDocument, contentChanges: [{ text }] });
    this.#notify("textDocument/didSave", { textDocument: { uri } });
  }

  close(path: string): void {
    this.#open.delete(path);
    this.#published.delete(path);
    this.#notify("textDocument/didClose", { textDocument: { uri: uriOf(path) } });
  }

  /** The open files that are no longer as they were shown. */
  changedFiles(): readonly string[] {
    return this.openFiles().filter((path) => readText(path) !== this.#open.get(path)?.text);
  }

  /** Shows it the files that are open as they are on the disk now. */
  refresh(): void {
    for (const path of this.changedFiles()) {
      const text = readText(path);
      if (text === undefined) this.close(path);
      else this.show(path, text);
    }
  }

  /** Tells it that a file has appeared or changed that it may not watch. */
  changed(path: string, isNew: boolean): void {
    this.#notify("workspace/didChangeWatchedFiles", { changes: [{ uri: uriOf(path), type: isNew ? 1 : 2 }] });
  }

  /** Whether it says what is wrong without being asked. */
  get pushes(): boolean {
    const { diagnoses } = this.#installed.kind;
    return diagnoses === "pushes" || (diagnoses === undefined && !this.can("diagnosticProvider"));
  }

  /** What it has said about files that it is not asked about. @param known the file whose answer is known */
  others(known?: string): ReadonlyMap<string, readonly Diagnostic[]> {
    const said = [...this.#published].filter(([path]) => path !== known && (this.pushes || !this.isOpen(path)));
    return new Map(said.map(([path, { diagnostics }]) => [path, diagnostics]));
  }

  /** What it says about an open file as it is now; `undefined` if it does not say it in time. */
  async diagnosticsOf(path: string): Promise<readonly Diagnostic[] | undefined> {
    const timeoutMs = this.#hasAnswered ? laterAnswerMs : firstAnswerMs;
    const found = await this.#ask(path, timeoutMs).catch(() => undefined);
    if (found) this.#hasAnswered = true;
    return found?.slice(0, maxDiagnostics);
  }

  #ask(path: string, timeoutMs: number): Promise<readonly Diagnostic[] | undefined> {
    if (this.pushes) return this.#untilPublished(path, timeoutMs);
    return this.#installed.kind.diagnoses === "tsserver"
      ? this.#askTsserver(path, timeoutMs)
      : this.#pull(path, timeoutMs);
  }

  async #pull(path: string, timeoutMs: number): Promise<readonly Diagnostic[] | undefined> {
    const params = { textDocument: { uri: uriOf(path) } };
    const report = await this.request<DocumentDiagnosticReport>("textDocument/diagnostic", params, timeoutMs);
    return report.kind === "full" ? report.items : this.#published.get(path)?.diagnostics;
  }

  /** typescript-language-server pushes nothing about a file that was right before and is right now. */
  async #askTsserver(path: string, timeoutMs: number): Promise<readonly Diagnostic[]> {
    const found: Diagnostic[] = [];
    for (const kind of ["syntacticDiagnosticsSync", "semanticDiagnosticsSync"]) {
      const params = { command: "typescript.tsserverRequest", arguments: [kind, { file: path }] };
      const { body = [] } = await this.request<TsserverAnswer>("workspace/executeCommand", params, timeoutMs);
      found.push(...body.map(fromTsserver));
    }
    return found;
  }

  /** Waits for what it says about the present version, or without versions, until it says no more. */
  async #untilPublished(path: string, timeoutMs: number): Promise<readonly Diagnostic[] | undefined> {
    const version = this.#open.get(path)?.version ?? 0;
    const isCurrent = () => {
      const said = this.#published.get(path);
      return said !== undefined && said.version !== undefined && said.version >= version;
    };
    const published = new Promise<void>((settle) => {
      let timer: NodeJS.Timeout | undefined;
      const listener = (about: string) => {
        if (about !== path) return;
        clearTimeout(timer);
        const isUnversioned = this.#published.get(path)?.version === undefined;
        if (!isCurrent() && !isUnversioned) return;
        timer = setTimeout(
          () => {
            this.#listeners.delete(listener);
            settle();
          },
          isUnversioned ? quietMs : 0,
        );
      };
      this.#listeners.add(listener);
      if (isCurrent()) listener(path);
      setTimeout(() => this.#listeners.delete(listener), timeoutMs).unref();
    });
    const isSaid = await Promise.race([
      within(
        timeoutMs,
        published.then(() => true),
      ),
      this.over,
    ]);
    return isSaid ? this.#published.get(path)?.diagnostics : undefined;
  }

  /** Ends it, with the processes that it has started. It has nothing to save. */
  end(): void {
    this.isOver = true;
    this.#child.kill("SIGTERM");
  }

  kill(): void {
    this.isOver = true;
    this.#child.kill("SIGKILL");
    this.#child.stdout?.destroy();
  }

  #count(): void {
    const nowMs = performance.now();
    if (nowMs - this.#countedFromMs > floodMs) {
      this.#countedFromMs = nowMs;
      this.#messages = 0;
    }
    if (++this.#messages > maxMessages) this.kill();
  }

  #notify(method: string, params: object): void {
    if (!this.isOver) void this.#connection.sendNotification(method, params).catch(() => this.kill());
  }

  #listen(): void {
    const { settings = {} } = this.#installed.kind;
    const connection = this.#connection;
    connection.onError(() => this.kill());
    connection.onNotification("textDocument/publishDiagnostics", (params: PublishDiagnosticsParams) =>
      this.#take(params),
    );
    connection.onRequest("workspace/configuration", ({ items }: ConfigurationParams) =>
      items.map(({ section = "" }) => settings[section] ?? null),
    );
    connection.onRequest("workspace/applyEdit", ({ edit }: ApplyWorkspaceEditParams) => {
      this.#wanted.push(edit);
      return { applied: true };
    });
    for (const method of ["client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create"])
      connection.onRequest(method, () => null);
    for (const method of ["workspace/diagnostic/refresh", "window/showMessageRequest", "workspace/workspaceFolders"])
      connection.onRequest(method, () => null);
    connection.listen();
  }

  #take({ uri, version, diagnostics }: PublishDiagnosticsParams): void {
    const path = pathOf(uri);
    if (path === undefined || !Array.isArray(diagnostics)) return;
    const { isVersioned } = this.#installed.kind;
    if (isVersioned && version === undefined && this.isOpen(path)) return;
    const known = this.#published.get(path);
    // An answer that comes late is about an earlier text.
    if (version !== undefined && known?.version !== undefined && version < known.version) return;
    const current = this.#open.get(path)?.version;
    if (version !== undefined && current !== undefined && version < current) return;
    this.#published.set(path, { version: version ?? undefined, diagnostics });
    for (const listener of this.#listeners) listener(path);
  }

  async #initialize(): Promise<void> {
    const { kind } = this.#installed;
    const rootUri = uriOf(this.root);
    const params: InitializeParams = {
      processId: process.pid,
      rootUri,
      workspaceFolders: [{ uri: rootUri, name: "project" }],
      initializationOptions: kind.options?.(this.#scene),
      capabilities: {
        general: { positionEncodings: ["utf-16"] },
        window: { workDoneProgress: true },
        workspace: {
          applyEdit: true,
          configuration: true,
          workspaceFolders: true,
          workspaceEdit: { documentChanges: true },
        },
        textDocument: {
          synchronization: { didSave: true },
          publishDiagnostics: { versionSupport: true },
          ...(kind.diagnoses !== "pushes" && { diagnostic: { relatedDocumentSupport: false } }),
          hover: { contentFormat: ["plaintext", "markdown"] },
          documentSymbol: { hierarchicalDocumentSymbolSupport: true },
          codeAction: {
            codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix", "refactor", "source"] } },
            resolveSupport: { properties: ["edit"] },
            dataSupport: true,
          },
          rename: { prepareSupport: false },
        },
      },
    };
    const { capabilities } = await this.#connection.sendRequest<InitializeResult>("initialize", params);
    this.#capabilities = capabilities ?? {};
    this.#notify("initialized", {});
    if (kind.settings) this.#notify("workspace/didChangeConfiguration", { settings: kind.settings });
  }
}
