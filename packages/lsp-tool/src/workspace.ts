// The state of the service: the servers and commands that watch a project's files. Each works on one thing at a time, in a queue; a call
// waits for it only so long, and what comes later is part of the next report.

import { resolve } from "node:path";
import { realPathOf, within } from "@ikigai/system";
import { LanguageServer } from "./language-server.ts";
import { inOrder, Ledger, type Problem, problemsOf, type Report, readCheck, runCheck } from "./problems.ts";
import { extensionOf, findServer, type Installed, type Place, readSettings, readText, rootOf } from "./servers.ts";

/** After so many deaths a server is not started any more. */
const maxDeaths = 3;

/** How many servers run at once; the one that was used longest ago is ended. */
const maxServers = 6;

/** How many other open files are looked at after an edit. */
const maxOthers = 10;

/** After an answer about the edited file, a server may push what else has changed, in milliseconds. */
const othersMs = 100;

/** What watches some files: a server, or a command. */
interface Watcher {
  readonly ledger: Ledger;
  /** Settles when it has finished its work. */
  readonly idle: () => Promise<unknown>;
  readonly isBusy: () => boolean;
  /** Looks at a file. @param before its text before it was edited; `null` if it was not there. */
  see(path: string, before?: string | null): void;
  /** Looks at the files that it has seen and that have changed since, if there are any. */
  seeChanged(): boolean;
  end(): void;
}

/** A queue of work, one at a time. Failures are those of a server, which has ended or does not answer. */
class Queue {
  #last: Promise<unknown> = Promise.resolve();
  #length = 0;

  add(work: () => Promise<void>): void {
    this.#length++;
    this.#last = this.#last
      .then(work)
      .catch(() => {})
      .finally(() => this.#length--);
  }

  readonly idle = () => this.#last;
  readonly isBusy = () => this.#length > 0;
}

/** A server, which is started again when it has died, and what it says. */
export class ServerWatcher implements Watcher {
  readonly ledger = new Ledger();
  readonly #queue = new Queue();
  readonly #start: () => LanguageServer;
  readonly #projectDir: string;
  /** The texts of files that the server has not seen, from before their first edit. */
  readonly #first = new Map<string, string>();
  #server: LanguageServer | undefined;
  #deaths = 0;
  #isEnding = false;
  readonly idle = this.#queue.idle;
  readonly isBusy = this.#queue.isBusy;

  constructor(start: () => LanguageServer, projectDir: string) {
    this.#start = start;
    this.#projectDir = projectDir;
  }

  get hasGivenUp(): boolean {
    return this.#deaths >= maxDeaths;
  }

  /** The server, when it can be asked. @throws Error if it does not start. */
  async server(): Promise<LanguageServer> {
    if (this.#isEnding || this.hasGivenUp) throw new Error(`it has ended ${this.#deaths} times`);
    if (this.#server === undefined || this.#server.isOver) {
      const server = this.#start();
      this.#server = server;
      void server.over.then(() => {
        if (!this.#isEnding) this.#deaths++;
      });
    }
    await this.#server.untilReady();
    return this.#server;
  }

  see(path: string, before?: string | null): void {
    // What it is now: it may be edited before the server can look at it.
    const text = before === undefined ? readText(path) : before;
    if (text && !this.#first.has(path)) this.#first.set(path, text);
    this.#queue.add(async () => {
      const server = await this.server();
      // All at once: what is wrong with one file depends on the others.
      for (const [one, had] of this.#first) if (!this.ledger.isKnown(one)) server.show(one, had);
      this.#first.clear();
      if (!this.ledger.isKnown(path)) await this.#open(server, path, text);
      if (before !== undefined) await this.#compare(server, path, before === null);
    });
  }

  seeChanged(): boolean {
    const server = this.#server;
    const [path] = server?.isOver ? [] : (server?.changedFiles() ?? []);
    if (path !== undefined) this.see(path, "");
    return path !== undefined;
  }

  /** Does something with the server when it has seen a file as it is now. */
  async use<Result>(path: string, work: (server: LanguageServer) => Promise<Result>): Promise<Result> {
    const server = await this.server();
    server.refresh();
    server.show(path, readText(path) ?? "");
    return work(server);
  }

  end(): void {
    this.#isEnding = true;
    this.#server?.end();
  }

  /** What is wrong with a file before the edit is not new. */
  async #open(server: LanguageServer, path: string, text: string | null | undefined): Promise<void> {
    if (text === null) return this.ledger.wasBefore(path, []);
    if (text === undefined) return;
    server.show(path, text);
    const found = await server.diagnosticsOf(path);
    if (found) this.ledger.wasBefore(path, this.#problems(path, found));
    for (const [other, diagnostics] of server.others())
      if (!this.ledger.isKnown(other)) this.ledger.wasBefore(other, this.#problems(other, diagnostics));
  }

  async #compare(server: LanguageServer, path: string, isNew: boolean): Promise<void> {
    server.refresh();
    const text = readText(path);
    if (text === undefined) return;
    server.changed(path, isNew);
    server.show(path, text);
    const others = server.openFiles().filter((one) => one !== path);
    for (const one of [path, ...(server.pushes ? [] : others.slice(-maxOthers))]) {
      const found = await server.diagnosticsOf(one);
      if (found) this.ledger.isNow(one, this.#problems(one, found));
    }
    if (server.pushes && others.length > 0) await new Promise((settle) => setTimeout(settle, othersMs));
    for (const [other, diagnostics] of server.others(path))
      this.ledger.isNow(other, this.#problems(other, diagnostics));
    for (const one of this.ledger.files()) if (readText(one) === undefined) this.ledger.forget(one);
  }

  #problems(path: string, diagnostics: Parameters<typeof problemsOf>[1]): Problem[] {
    return problemsOf(path, diagnostics, this.#projectDir, this.#server?.textOf(path) ?? readText(path) ?? "");
  }
}

/** A command that checks the whole project. */
class CommandWatcher implements Watcher {
  readonly ledger = new Ledger();
  readonly #queue = new Queue();
  /** The texts of files before their first edit, if that may have come before the end of the first run. */
  readonly #textsBefore = new Map<string, string | null>();
  readonly #run: () => Promise<Map<string, Problem[]> | undefined>;
  readonly idle = this.#queue.idle;
  readonly isBusy = this.#queue.isBusy;

  constructor(command: string, { projectDir, env }: Place) {
    this.#run = async () => {
      const output = await runCheck(command, projectDir, env);
      return output === undefined ? undefined : readCheck(output, projectDir);
    };
  }

  see(path: string, before?: string | null): void {
    // What is wrong before the first edit is found out when a file is read.
    if (before === undefined && this.ledger.isComplete) return;
    const isEarly = before !== undefined && !this.ledger.isComplete;
    if (isEarly && !this.#textsBefore.has(path)) this.#textsBefore.set(path, before);
    this.#queue.add(async () => {
      const found = await this.#run();
      if (!found) return;
      for (const one of this.ledger.files()) if (!found.has(one)) this.ledger.isNow(one, []);
      for (const [one, problems] of found) {
        if (!this.ledger.isComplete) this.ledger.wasBefore(one, oldProblems(one, problems, this.#textsBefore.get(one)));
        this.ledger.isNow(one, problems);
      }
      this.ledger.isComplete = true;
    });
  }

  seeChanged(): boolean {
    return false;
  }

  end(): void {}
}

/** Those of the first run that were there before an edit: on its lines then. */
function oldProblems(
  path: string,
  problems: readonly Problem[],
  before: string | null | undefined,
): readonly Problem[] {
  if (before === undefined) return problems;
  const had = new Set(before?.split("\n"));
  const lines = readText(path)?.split("\n") ?? [];
  return problems.filter(({ line }) => had.has(lines[line - 1] ?? ""));
}

/** What `diagnostics` answers after an edit. */
export interface EditReport extends Report {
  /** Something has not answered yet. */
  readonly isPending: boolean;
}

/** All that watches a project. */
export class Workspace {
  readonly projectDir: string;
  readonly #place: Place;
  readonly #watchers = new Map<string, Watcher>();

  constructor(env: NodeJS.ProcessEnv = process.env) {
    this.projectDir = realPathOf(env.IKIGAI_PROJECT_DIR ?? process.cwd());
    const { IKIGAI_DIAGNOSTICS: _, ...others } = env;
    this.#place = { projectDir: this.projectDir, env: others, settings: readSettings(env) };
  }

  /** The real path of a file that an argument names. */
  fileOf(path: string): string {
    return realPathOf(resolve(this.projectDir, path));
  }

  /** The server for a file; `undefined` if none is installed, or it has died too often. */
  serverFor(path: string): ServerWatcher | undefined {
    const installed = findServer(extensionOf(path), this.#place);
    if (!installed) return undefined;
    const root = rootOf(installed.kind, path, this.projectDir);
    const watcher = this.#watcher([...installed.argv, root].join("\0"), () => this.#newServer(installed, root));
    return watcher instanceof ServerWatcher && !watcher.hasGivenUp ? watcher : undefined;
  }

  /** A file was read: its server begins to know it. */
  opened(path: string): void {
    this.#watcherOf(path)?.see(path);
  }

  /** Files may have been changed by a command: those that are open are looked at again. */
  async changed(waitMs: number): Promise<EditReport> {
    const changed = [...this.#watchers.values()].filter((watcher) => watcher.seeChanged());
    return this.report(changed.length > 0 ? waitMs : 0);
  }

  /** A file was edited. Waits for at most `waitMs`, in milliseconds. */
  async edited(path: string, before: string | null, waitMs: number): Promise<EditReport> {
    this.#watcherOf(path)?.see(path, before);
    return this.report(waitMs);
  }

  /** Returns what has changed since the last report. */
  async report(waitMs: number): Promise<EditReport> {
    const watchers = [...this.#watchers.values()];
    await within(waitMs, Promise.all(watchers.map(({ idle }) => idle())));
    const { show = "errors" } = this.#place.settings;
    const passes = ({ severity }: Problem) => severity === "error" || show === "all";
    const reports = watchers.map(({ ledger }) => ledger.report(passes));
    return {
      added: inOrder(reports.flatMap(({ added }) => added)),
      fixed: reports.reduce((sum, { fixed }) => sum + fixed, 0),
      isPending: watchers.some(({ isBusy }) => isBusy()),
    };
  }

  /** All that is wrong with a file. @throws Error if its server does not answer. */
  async problemsOf(path: string): Promise<readonly Problem[] | undefined> {
    const watcher = this.#watcherOf(path);
    if (!watcher) return undefined;
    watcher.see(path, readText(path) ?? null);
    await watcher.idle();
    return inOrder(watcher.ledger.of(path));
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.end();
  }

  #watcherOf(path: string): Watcher | undefined {
    const server = this.serverFor(path);
    if (server) return server;
    const command = this.#place.settings.check?.[extensionOf(path)];
    if (command === undefined) return undefined;
    return this.#watcher(`check\0${command}`, () => new CommandWatcher(command, this.#place));
  }

  #newServer(installed: Installed, root: string): ServerWatcher {
    return new ServerWatcher(() => new LanguageServer(installed, root, this.#place), this.projectDir);
  }

  #watcher(key: string, make: () => Watcher): Watcher {
    const watcher = this.#watchers.get(key) ?? make();
    // The one that was used last is at the end.
    this.#watchers.delete(key);
    this.#watchers.set(key, watcher);
    const [oldest] = this.#watchers.size > maxServers ? this.#watchers : [];
    if (oldest) {
      this.#watchers.delete(oldest[0]);
      oldest[1].end();
    }
    return watcher;
  }
}
