// The commit of a snapshot, and the ref that leads to it, written as git does: with git it takes two processes.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";
import { makeDirectories } from "@ikigai/system";

interface NewCommit {
  readonly message: string;
  /** Since the epoch. */
  readonly seconds: number;
  /** The commit before it. */
  readonly parent: string | undefined;
  /** The tree that is in it as `files`. */
  readonly files: string;
  /** The content of its file `meta`. */
  readonly meta: string;
}

/** Writes a commit, and returns its object name. @throws the system's error. */
export function writeCommit(store: string, { message, seconds, parent, files, meta }: NewCommit): string {
  const blob = writeObject(store, "blob", Buffer.from(meta));
  const entries = [`40000 files\0`, Buffer.from(files, "hex"), `100644 meta\0`, Buffer.from(blob, "hex")];
  const tree = writeObject(store, "tree", Buffer.concat(entries.map((part) => Buffer.from(part))));
  const person = `ikigai <ikigai> ${seconds} +0000`;
  const lines = [
    `tree ${tree}`,
    ...(parent === undefined ? [] : [`parent ${parent}`]),
    `author ${person}`,
    `committer ${person}`,
    "",
    message,
  ];
  return writeObject(store, "commit", Buffer.from(lines.join("\n")));
}

function writeObject(store: string, type: "blob" | "tree" | "commit", content: Buffer): string {
  const bytes = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const name = createHash("sha1").update(bytes).digest("hex");
  const path = join(store, "objects", name.slice(0, 2), name.slice(2));
  if (existsSync(path)) {
    // Git removes old objects that no ref leads to.
    utimesSync(path, new Date(), new Date());
    return name;
  }
  makeDirectories(dirname(path));
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, deflateSync(bytes, { level: 0 }), { mode: 0o444 });
  renameSync(temporary, path);
  return name;
}

/** The object that a ref names; `undefined` if it has no file of its own. */
export function readRef(store: string, ref: string): string | undefined {
  try {
    return readFileSync(join(store, ref), "latin1").trim();
  } catch {
    return undefined;
  }
}

/** Lets a ref name an object. Returns whether it could: git locks refs while it packs them. @throws the system's error. */
export function writeRef(store: string, ref: string, object: string): boolean {
  const path = join(store, ref);
  const lock = `${path}.lock`;
  makeDirectories(dirname(path));
  try {
    writeFileSync(lock, `${object}\n`, { flag: "wx" });
    renameSync(lock, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
