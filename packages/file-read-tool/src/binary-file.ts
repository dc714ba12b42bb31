import { readdirSync } from "node:fs";
import { findProgram, shellWord } from "@ikigai/system";
import { ToolFailure } from "@ikigai/tool-sdk";

/*
 * What a model asks to read and is no text: a file of bytes, or a directory. The failure says what it is, and what to use instead.
 */

/** A kind of file, by its first bytes: its name, and the command that shows what is in it. */
type Kind = readonly [start: string, name: string, command?: (file: string) => string];

const zip: Kind[2] = (file) => `unzip -l ${file}`;

const kinds: readonly Kind[] = [
  ["\x7fELF", "ELF program"],
  ["MZ", "Windows program"],
  ["\xcf\xfa\xed\xfe", "Mach-O program"],
  ["\xca\xfe\xba\xbe", "Java class or universal Mach-O program"],
  ["\0asm", "WebAssembly module"],
  ["PK\x03\x04", "ZIP archive", zip],
  ["PK\x05\x06", "empty ZIP archive", zip],
  ["\x1f\x8b", "gzip archive", (file) => `zcat ${file} | head -c 2000`],
  ["BZh", "bzip2 archive", (file) => `bzcat ${file} | head -c 2000`],
  ["\xfd7zXZ\0", "xz archive", (file) => `xzcat ${file} | head -c 2000`],
  ["\x28\xb5\x2f\xfd", "Zstandard archive", (file) => `zstdcat ${file} | head -c 2000`],
  ["7z\xbc\xaf\x27\x1c", "7-Zip archive", (file) => `7z l ${file}`],
  ["SQLite format 3\0", "SQLite database", (file) => `sqlite3 ${file} .schema`],
  ["PAR1", "Parquet table"],
  ["\x89PNG", "broken PNG image"],
  ["\xff\xd8\xff", "broken JPEG image"],
  ["BM", "BMP image"],
  ["II*\0", "TIFF image"],
  ["MM\0*", "TIFF image"],
  ["OggS", "Ogg audio or video", (file) => `ffprobe ${file}`],
  ["ID3", "MP3 audio", (file) => `ffprobe ${file}`],
  ["fLaC", "FLAC audio", (file) => `ffprobe ${file}`],
  ["RIFF", "RIFF audio or video", (file) => `ffprobe ${file}`],
  ["wOFF", "WOFF font"],
  ["wOF2", "WOFF2 font"],
];

const tar: Kind = ["", "tar archive", (file) => `tar -tf ${file}`];

/** What shows something of any file. */
const anyway = ["file", "strings", "xxd"];

/** The failure for a file of bytes. @param start the beginning of the file. */
export function binaryFile(path: string, start: Buffer, bytes: number): ToolFailure<"BINARY_FILE"> {
  const text = start.toString("latin1");
  const [, name, command] = kindOf(text);
  const file = shellWord(path);
  const own = command?.(file);
  const general = anyway
    .filter(isOnPath)
    .map((program) => (program === "file" ? `file ${file}` : `${program} ${file} | head -n 50`));
  const usable = [...(own !== undefined && isOnPath(own.split(" ")[0] ?? "") ? [own] : []), ...general];
  const hint = usable.length > 0 ? `With bash: ${usable.join("; ")}` : "Read it with a program that knows its format.";
  return new ToolFailure<"BINARY_FILE">("BINARY_FILE", `Not a text file (${name}, ${inUnits(bytes)}): ${path}`, {
    hint,
  });
}

function kindOf(text: string): Kind {
  if (text.startsWith("ustar", 257)) return tar;
  if (text.startsWith("ftyp", 4)) return ["", "MP4 or HEIF file", (file) => `ffprobe ${file}`];
  return kinds.find(([start]) => text.startsWith(start)) ?? ["", "unknown format"];
}

/** How many entries of a directory are named. */
const maxEntries = 50;

/** The failure for a directory, with its first entries. */
export function directoryRead(path: string): ToolFailure {
  const entries = readdirSync(path, { withFileTypes: true });
  const names = entries.map((entry) => `${entry.name}${entry.isDirectory() ? "/" : ""}`).sort();
  const shown = names.slice(0, maxEntries).join(", ");
  const more = names.length > maxEntries ? `, and ${names.length - maxEntries} more` : "";
  const hint = names.length === 0 ? "It is an empty directory." : `It is a directory. In it: ${shown}${more}`;
  return new ToolFailure("OPEN_FAILED", `Cannot open file: ${path}`, { hint });
}

export function inUnits(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function isOnPath(program: string): boolean {
  return findProgram(program, process.env.PATH, process.cwd()) !== undefined;
}
