import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { onTestFinished } from "vitest";
import { tempDir } from "./temp-dir.ts";

/** Programs that use the lock, compiled for Node. */
export async function bundled(name: string): Promise<string> {
  const outfile = join(await tempDir(), `${name}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, `fixtures/${name}.ts`)],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
  });
  return outfile;
}

/** A process that prints what it does, line by line. It ends with the test. */
export interface Talking {
  readonly child: ChildProcess;
  /** The lines so far. */
  readonly lines: string[];
  /** Waits for a line with this prefix. */
  said(start: string): Promise<string>;
  /** Settles with its exit code or signal when it has ended. */
  readonly ended: Promise<number | string | null>;
}

export function start(file: string, args: readonly string[]): Talking {
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  const input = createInterface({ input: child.stdout });
  input.on("line", (line) => lines.push(line));
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string | null);
  return {
    child,
    lines,
    ended,
    async said(begin) {
      for (;;) {
        const found = lines.find((line) => line.startsWith(begin));
        if (found !== undefined) return found;
        const more = await Promise.race([once(input, "line").then(() => true), ended.then(() => false)]);
        if (!more && !lines.some((line) => line.startsWith(begin)))
          throw new Error(`It ended without saying "${begin}": ${lines.join(", ")}`);
      }
    },
  };
}
