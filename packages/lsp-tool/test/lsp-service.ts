import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ownExecutable, startServed, type TreeEntry, tempDir } from "@ikigai/testing";

const bin = ownExecutable(import.meta.url);

/** Where npm puts the servers that are tested. */
const programs = join(import.meta.dirname, "../node_modules/.bin");

export interface Problem {
  readonly path: string;
  readonly line: number;
  readonly severity: string;
  readonly message: string;
}

/** An answer about an edit. */
export interface Report {
  readonly new: readonly Problem[];
  readonly more?: number;
  readonly fixed: number;
  readonly pending?: boolean;
  /** How long it took, in milliseconds. */
  readonly tookMs: number;
}

/** A service in a project, as a host uses it. */
export interface Lsp extends AsyncDisposable {
  readonly project: string;
  readonly pid: number;
  call(args: object): Promise<Record<string, unknown>>;
  /** A file was read. */
  read(path: string): Promise<void>;
  /** Writes a file, and returns what is new and fixed by the first answer. */
  edit(path: string, text: string): Promise<Report>;
  /** The same, and what comes later until nothing is open. */
  editAndWait(path: string, text: string): Promise<Report>;
  /** Files may have been changed by a command. */
  changed(): Promise<Report>;
}

export async function lspService(files: Record<string, TreeEntry>, settings: object = {}, more = {}): Promise<Lsp> {
  const project = await tempDir(files);
  const env = {
    PATH: `${programs}:${process.env.PATH}`,
    IKIGAI_SANDBOX: "bubblewrap",
    IKIGAI_PROJECT_DIR: project,
    IKIGAI_DIAGNOSTICS: JSON.stringify(settings),
    ...more,
  };
  const tool = await startServed(bin, { cwd: project, env });
  if ((await tool.nextLine()) !== '{"ready":true}') throw new Error(tool.stderr());
  const call: Lsp["call"] = async (args) => {
    const { answer, refused } = JSON.parse((await tool.call(args, { timeoutMs: 120_000 })) ?? "{}");
    return answer ?? { refused };
  };
  const ask = async (path: string, before: unknown): Promise<Report> => {
    const beganMs = performance.now();
    const answer = await call({ action: "diagnostics", path, before });
    return { ...(answer as unknown as Report), tookMs: performance.now() - beganMs };
  };
  const edit: Lsp["edit"] = (path, text) => {
    const before = textOf(join(project, path));
    writeFileSync(join(project, path), text);
    return ask(path, before ?? false);
  };
  const changed = () => ask(".", true);
  return {
    project,
    pid: tool.pid,
    call,
    edit,
    changed,
    async read(path) {
      await call({ action: "diagnostics", path, wait: false });
    },
    async editAndWait(path, text) {
      let report = await edit(path, text);
      while (report.pending) {
        await new Promise((settle) => setTimeout(settle, 100));
        const later = await changed();
        const { new: added, fixed, tookMs } = report;
        report = { ...later, new: [...added, ...later.new], fixed: fixed + later.fixed, tookMs: tookMs + later.tookMs };
      }
      return report;
    },
    async [Symbol.asyncDispose]() {
      tool.closeInput();
      await tool.exitCode(5_000);
      await tool[Symbol.asyncDispose]();
    },
  };
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
