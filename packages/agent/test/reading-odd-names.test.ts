import { spawnSync } from "node:child_process";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { readingProblem } from "../src/permission/read-only/only-reads.ts";
import { realTarget } from "../src/permission/real-target.ts";

const odd = Buffer.from([0xff, 0x64]);
const at = (directory: string, name: Buffer) => Buffer.concat([Buffer.from(`${directory}/`), name]);

let projectDir: string;
let outside: string;

const problem = (command: string) =>
  readingProblem(command, { projectDir, home: join(projectDir, "../home"), path: "/usr/bin:/bin" });

function git(cwd: string | Buffer, ...args: string[]): string {
  const [command, directory] = ["git -c user.name=a -c user.email=a@b", Buffer.from(cwd)];
  const script = Buffer.concat([Buffer.from("cd '"), directory, Buffer.from(`' && ${command} ${args.join(" ")}`)]);
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  return spawnSync("sh", { input: script, env, encoding: "utf8" }).stdout.trim();
}

beforeEach(async () => {
  const tree = realpathSync(await tempDir({ "proj/a.txt": "a\n", "proj/sub/b.txt": "b\n", "outside/secret": "s\n" }));
  projectDir = join(tree, "proj");
  outside = join(tree, "outside");
});

// macOS creates no names that are not UTF-8.
describe.skipIf(process.platform !== "linux")("a name that is not UTF-8", () => {
  test("on the way of a link leads nowhere that is known", () => {
    symlinkSync(outside, at(projectDir, odd));
    symlinkSync(odd, join(projectDir, "d"));
    symlinkSync(Buffer.concat([odd, Buffer.from("/secret")]), join(projectDir, "l.txt"));
    expect(spawnSync("cat", ["l.txt"], { cwd: projectDir, encoding: "utf8" }).stdout).toBe("s\n");
    for (const path of ["l.txt", "d", "d/secret", "d/new", "sub/../d/x"]) {
      expect(realTarget(path, projectDir), path).toBeUndefined();
    }
    for (const command of ["cat l.txt", "cat d/secret", "ls d", "head d/*", "cd d && ls", "git -C d log"]) {
      expect(problem(command), command).toBeDefined();
    }
    expect(problem("cat a.txt sub/b.txt")).toBeUndefined();
  });

  test("in a directory that a pattern covers may be a link", () => {
    expect(problem("cat *")).toBeUndefined();
    expect(problem("diff -r . .")).toBeUndefined();
    symlinkSync(outside, at(projectDir, odd));
    for (const command of ["cat *", "head -n 1 */*", "grep x *", "diff -r . ."]) {
      expect(problem(command), command).toBeDefined();
    }
    expect(problem("cat sub/*")).toBeUndefined();
  });

  test("of a repository in the repository is asked about", () => {
    const path = at(projectDir, odd);
    git(projectDir, "init -q; git add -A; git -c user.name=a -c user.email=a@b commit -qm first");
    expect(problem("git status")).toBeUndefined();
    mkdirSync(path);
    git(path, "init -q; echo 1 > f; git add f; git -c user.name=a -c user.email=a@b commit -qm one");
    git(projectDir, `update-index --add --cacheinfo "160000,${git(path, "rev-parse HEAD")},$(printf '\\377d')"`);
    expect(git(projectDir, "ls-files -s")).toContain("160000");
    expect(problem("git status")).toBe("its index cannot be read");
  });

  test("of a directory in the repository is asked about", () => {
    mkdirSync(at(projectDir, odd));
    writeFileSync(Buffer.concat([at(projectDir, odd), Buffer.from("/f")]), "1\n");
    git(projectDir, "init -q; git add -A; git -c user.name=a -c user.email=a@b commit -qm first");
    expect(problem("git grep 1")).toBe("its index cannot be read");
    expect(problem("git log")).toBeUndefined();
  });
});
