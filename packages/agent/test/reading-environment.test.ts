import { spawnSync } from "node:child_process";
import { existsSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { readingProblem } from "../src/permission/read-only/only-reads.ts";

const program = { content: "#!/bin/sh\ntouch ../ran\n", mode: 0o755 };

let tree: string;
let projectDir: string;
const path = "/usr/bin:/bin";

const problem = (command: string, searchPath = path) =>
  readingProblem(command, { projectDir, home: join(tree, "home"), path: searchPath });

const environment = () => ({ ...process.env, PATH: path });

function git(...args: string[]): void {
  const names = ["-c", "user.name=a", "-c", "user.email=a@b"];
  expect(spawnSync("git", [...names, ...args], { cwd: projectDir, env: environment() }).status).toBe(0);
}

/** The user's git configuration. */
const configure = (text: string) => writeFileSync(join(tree, "gitconfig"), text);

/** Whether a command runs the project's program: otherwise a test would prove nothing. */
function runs(command: string, env: NodeJS.ProcessEnv = environment()): boolean {
  spawnSync("sh", ["-c", command], { cwd: projectDir, env });
  return existsSync(join(tree, "ran"));
}

beforeEach(async () => {
  tree = realpathSync(
    await tempDir({
      "proj/a.bin": "a\n",
      "proj/.gitattributes": "*.bin diff=bin filter=lfs\n",
      "proj/tools/show": program,
      "proj/show": program,
      "proj/bin/git-lfs": program,
      "outside/strings": { content: "#!/bin/sh\ncat\n", mode: 0o755 },
      gitconfig: "",
    }),
  );
  projectDir = join(tree, "proj");
  vi.stubEnv("GIT_CONFIG_GLOBAL", join(tree, "gitconfig"));
  vi.stubEnv("GIT_CONFIG_SYSTEM", join(tree, "none"));
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "first");
});

describe("git needs a question if the user's configuration may run a file of the project", () => {
  test.each([
    ['[diff "bin"]\n\ttextconv = tools/show\n', "textconv"],
    ['[diff "bin"]\n\ttextconv = ./show\n', "textconv"],
    ['[diff "bin"]\n\ttextconv = "sh show"\n', "textconv"],
    ['[diff "bin"]\n\tTextConv = sh \\\n tools/show\n', "textconv"],
    ["[diff] external = \"sh -c 'exec ./show'\"\n", "external"],
    ['[diff "bin"]\n\tcommand = tools/show\n', "command"],
    ["[core]\n\tfsmonitor = .git/hooks/fsmonitor-watchman\n", "fsmonitor"],
    ['[filter "lfs"]\n\tclean = tools/show %f\n', "clean"],
    ['[filter "lfs"]\n\tprocess = ./show\n', "process"],
    ['[filter "lfs"]\n\tsmudge = ~/../proj/show\n', "smudge"],
    ["[gpg]\n\tprogram = ./show\n", "program"],
    // Interpreters take the file as a program, or find modules where git runs them.
    ['[diff "bin"]\n\ttextconv = bun\n', "textconv"],
    ['[diff "bin"]\n\ttextconv = python3 -m json.tool\n', "textconv"],
    ['[filter "lfs"]\n\tclean = "/usr/bin/python3" -m nbstripout\n', "clean"],
    ['[filter "lfs"]\n\tclean = git-lfs clean -- %f; ./show\n', "clean"],
    ['[diff "bin"]\n\ttextconv = strings show\n', "textconv"],
  ])("%j", (text, name) => {
    expect(problem("git show")).toBeUndefined();
    vi.stubEnv("HOME", join(tree, "outside"));
    configure(text);
    expect(problem("git show")).toBe(`your git configuration has ${name}, which may be a program of the project`);
  });

  test("which git does", () => {
    configure('[diff "bin"]\n\ttextconv = tools/show\n');
    expect(runs("git show")).toBe(true);
  });

  test("but not for programs from elsewhere", () => {
    configure(
      `[core]\n\tfsmonitor = true\n[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tprocess = git-lfs filter-process\n\trequired = true\n[diff "bin"]\n\ttextconv = ${tree}/outside/strings\n[diff "gpg"]\n\ttextconv = gpg --no-tty --decrypt\n[gpg "ssh"]\n\tprogram = "/opt/1Password/op-ssh-sign"\n`,
    );
    expect(problem("git status")).toBeUndefined();
    expect(problem("git status", `${projectDir}/none:${path}`)).toBeUndefined();
    const reason = "your git configuration has textconv, which may be a program of the project";
    for (const directory of [`${projectDir}/bin`, "bin", "./bin", ""]) {
      expect(problem("git status", `${directory}:${path}`), directory).toBe(reason);
    }
    expect(runs("touch a.bin; git status", { ...environment(), PATH: `./bin:${path}` })).toBe(true);
  });
});

test.each(["GIT_EXTERNAL_DIFF", "GIT_EXEC_PATH", "GIT_TRACE", "GIT_ATTR_SOURCE", "GIT_UNHEARD_OF"])(
  "git needs a question while the environment has %s",
  (name) => {
    vi.stubEnv(name, "./show");
    expect(problem("git diff")).toBe(`your environment has ${name}, which may change what git reads and runs`);
  },
);

test.each(["GIT_EDITOR", "GIT_AUTHOR_NAME", "GIT_ASKPASS", "GIT_SSH_COMMAND", "GIT_TERMINAL_PROMPT"])(
  "git needs no question because of %s",
  (name) => {
    vi.stubEnv(name, "1");
    expect(problem("git diff")).toBeUndefined();
  },
);

test("rg needs a question if its configuration is the project's, runs programs or reads other files", () => {
  expect(problem("rg x")).toBeUndefined();
  const own = join(tree, "ripgreprc");
  for (const given of [".ripgreprc", "./none", join(projectDir, ".ripgreprc")]) {
    vi.stubEnv("RIPGREP_CONFIG_PATH", given);
    expect(problem("rg x")).toBe("your RIPGREP_CONFIG_PATH names a file in the project");
  }
  vi.stubEnv("RIPGREP_CONFIG_PATH", own);
  for (const text of [
    "--pre=./pre\n",
    "--smart-case\n--pre\n./pre\n",
    "-L\n",
    "-SL\n",
    "--follow\n",
    "-z\n",
    " --file=x",
  ]) {
    writeFileSync(own, text);
    expect(problem("rg x"), text).toBe("your ripgrep configuration runs programs, or reads other files");
  }
  for (const text of ["", "--smart-case\n", "--max-columns=150\n--glob=!.git\n-S\n", "# --pre=x\n", "--pretty\n"]) {
    writeFileSync(own, text);
    expect(problem("rg x"), text).toBeUndefined();
  }
});

test("shasum needs a question if perl may load modules of the project", () => {
  expect(problem("shasum a.bin")).toBeUndefined();
  for (const [name, value] of [
    ["PERL5LIB", "lib"],
    ["PERL5LIB", `/usr/share/perl5:${projectDir}/lib`],
    ["PERLLIB", "."],
    ["PERL5OPT", "-Mx"],
  ] as const) {
    vi.stubEnv(name, value);
    expect(problem("shasum a.bin"), name).toMatch(/^your (?:PERL5LIB|environment) has /);
    vi.stubEnv(name, undefined);
  }
  vi.stubEnv("PERL5LIB", "/usr/share/perl5");
  expect(problem("shasum a.bin")).toBeUndefined();
});

test("every program needs a question if it may load a library of the project", () => {
  for (const value of ["lib", ".", `/usr/lib:${projectDir}/lib`]) {
    vi.stubEnv("LD_LIBRARY_PATH", value);
    expect(problem("ls"), value).toBe("your LD_LIBRARY_PATH has a directory of the project");
  }
  // As `export LD_LIBRARY_PATH=/opt/lib:$LD_LIBRARY_PATH` leaves it; a tool gets it without the empty part.
  vi.stubEnv("LD_LIBRARY_PATH", "/opt/lib:");
  expect(problem("ls")).toBeUndefined();
});

test.each(["BASH_FUNC_NAME%%", "BASH_FUNC_NAME()", "__BASH_FUNC<NAME>()"])(
  "a program needs a question if the environment has a function of its name: %s",
  (variable) => {
    vi.stubEnv(variable.replace("NAME", "ls"), "() {  sh show\n}");
    vi.stubEnv(variable.replace("NAME", "grep"), "() {  sh show\n}");
    expect(problem("ls")).toBe("your environment has a function ls");
    expect(problem("cat a.bin | ls")).toBe("your environment has a function ls");
    expect(problem("egrep a a.bin")).toBe("your environment has a function grep");
    expect(problem("cat a.bin")).toBeUndefined();
  },
);

test("which bash would run instead", () => {
  expect(runs("true", { ...environment(), "BASH_FUNC_ls%%": "() {  touch ../ran\n}" })).toBe(false);
  spawnSync("bash", ["-c", "ls"], {
    cwd: projectDir,
    env: { ...environment(), "BASH_FUNC_ls%%": "() {  touch ../ran\n}" },
  });
  expect(existsSync(join(tree, "ran"))).toBe(true);
});

test("a file that the user's configuration names relatively must be in the project", () => {
  configure("[blame]\n\tignoreRevsFile = .git-blame-ignore-revs\n[core]\n\texcludesFile = ~/.gitignore\n");
  expect(problem("git blame a.bin")).toBeUndefined();
  writeFileSync(join(projectDir, ".git-blame-ignore-revs"), "");
  expect(problem("git blame a.bin")).toBeUndefined();
  rmSync(join(projectDir, ".git-blame-ignore-revs"));
  symlinkSync(join(tree, "gitconfig"), join(projectDir, ".git-blame-ignore-revs"));
  expect(problem("git blame a.bin")).toBe("your git configuration has ignoreRevsFile, which leads out of the project");
});

test("a link that stands for a program needs a question: it may be a version manager", async () => {
  const bin = await tempDir({
    mise: { content: "\x7fELF", mode: 0o755 },
    jq: { link: "mise" },
    "rg-14.1": { content: "\x7fELF", mode: 0o755 },
    rg: { link: "rg-14.1" },
    busybox: { content: "\x7fELF", mode: 0o755 },
    cat: { link: "busybox" },
    "shims/head": { content: "\x7fELF", mode: 0o755 },
    tail: { link: "shims/head" },
  });
  const inBin = (command: string) => problem(command, `${bin}:${bin}/shims:${path}`);
  for (const command of ["jq . a.bin", "head a.bin", "tail a.bin"])
    expect(inBin(command), command).toMatch(/may run what the project names$/);
  for (const command of ["rg x", "cat a.bin", "wc a.bin"]) expect(inBin(command), command).toBeUndefined();
});

test("a script that stands for a program needs a question: a version manager runs what the project names", async () => {
  const shims = await tempDir({ python3: { content: "#!/bin/sh\nexec ./evil\n", mode: 0o755 } });
  const binaries = await tempDir({ python3: { content: "\x7fELF", mode: 0o755 } });
  expect(problem("python3 --version", `${shims}:${path}`)).toBe("python3 may run what the project names");
  expect(problem("python3 --version", `${binaries}:${path}`)).toBeUndefined();
  expect(problem("egrep x a.bin")).toBeUndefined();
  expect(problem("echo a", `${shims}:${path}`)).toBeUndefined();
});
