import type { CommandSpec } from "./command-spec.ts";

const digest: CommandSpec = {
  short: "btwz",
  long: "binary text tag zero quiet status strict warn ignore-missing version help",
  operands: "paths",
  refused: { "-c": "reads files that another file names", "--check": "reads files that another file names" },
};

/** Programs that describe files and directories or print bytes. */
export const fileCommands: Readonly<Record<string, CommandSpec>> = {
  ls: {
    short: "aAbBcCdfFgGhHiklmnNopqQrRsStTuUvw:xXZ1",
    long:
      "all almost-all author block-size= classify=? color=? directory file-type format= full-time group-directories-first human-readable si inode " +
      "hide= ignore= ignore-backups numeric-uid-gid no-group literal quote-name quoting-style= recursive reverse size sort= time= time-style= width= zero version help",
    operands: "paths",
    isRecursive: true,
    refused: { "-L": "follows symlinks, which may lead out of the project" },
  },
  tree: {
    short: "adfisxpughDFvtrUCnNqL:P:I:",
    long: "prune noreport dirsfirst gitignore du si matchdirs ignore-case version help",
    hasNoBundles: true,
    operands: "paths",
    isRecursive: true,
    refused: {
      "-l": "follows symlinks, which may lead out of the project",
      "-o": "writes a file",
      "-R": "may write files",
    },
  },
  stat: { short: "Lfc:t", long: "dereference file-system format= printf= terse version help", operands: "paths" },
  file: {
    short: "biLhnNprsvI0k",
    long: "brief mime mime-type mime-encoding dereference no-dereference no-pad keep-going raw separator= version help",
    operands: "paths",
    refused: {
      "-C": "writes a file",
      "-f": "reads files that another file names",
      "-m": "reads a file",
      "-z": "may run programs",
      "-S": "turns off its sandbox",
    },
  },
  readlink: {
    short: "femnqsvz",
    long: "canonicalize canonicalize-existing canonicalize-missing no-newline",
    operands: "paths",
  },
  realpath: {
    short: "emLPqsz",
    long: "canonicalize-existing canonicalize-missing logical physical quiet strip zero relative-to=@ relative-base=@",
    operands: "paths",
  },
  du: {
    short: "0abchHklmPsSxd:t:B:",
    long: "all apparent-size bytes total human-readable si summarize max-depth= one-file-system exclude= threshold= block-size= time=? version help",
    operands: "paths",
    isRecursive: true,
    refused: {
      "-L": "follows symlinks, which may lead out of the project",
      "--files0-from": "reads files that another file names",
      "-X": "reads a file",
    },
  },
  df: { short: "haikTPlm", long: "human-readable all inodes local print-type total output=?", operands: "paths" },
  od: {
    short: "A:t:j:N:w?vabcdfFhHiIlLoOsxX",
    long: "address-radix= format= skip-bytes= read-bytes= width=? output-duplicates",
    operands: "paths",
  },
  xxd: {
    short: "abc:Eg:il:o:ps:u",
    hasNoBundles: true,
    operands: "paths",
    maxOperands: 1,
    refused: { "-r": "writes bytes" },
  },
  hexdump: { short: "bcCdoxve:n:s:", operands: "paths", refused: { "-f": "reads a format from a file" } },
  strings: {
    short: "afn:t:e:ow",
    long: "all bytes= radix= encoding= print-file-name",
    number: true,
    operands: "paths",
    check: ({ operands, options }) =>
      [...operands, ...options.flatMap(({ value }) => value ?? [])].some(({ text }) => text.startsWith("@"))
        ? "@FILE reads options from a file"
        : undefined,
  },
  base64: { short: "diw:", long: "decode ignore-garbage wrap=", operands: "paths" },
  cksum: { operands: "paths" },
  md5sum: digest,
  sha1sum: digest,
  sha256sum: digest,
  sha512sum: digest,
  shasum: { short: "a:bt", operands: "paths", refused: { "-c": "reads files that another file names" } },
  gofmt: {
    short: "",
    words: "-l -d -s -e",
    operands: "paths",
    isRecursive: true,
    followsLinks: true,
    refused: { "-w": "changes files", "-cpuprofile": "writes a file", "-r": "rewrites code" },
  },
};
