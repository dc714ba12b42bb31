import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRoot, otherUser, stranger } from "./other-user.ts";

const offline = ["--model", "offline"];

test.runIf(isRoot)("every start and doctor name an AGENTS.md that cannot be read (needs root)", async () => {
  const { own, project, run } = await otherUser();
  const files = [join(own, "AGENTS.md"), join(project, "AGENTS.md")];
  for (const file of files) {
    writeFileSync(file, "Be brief.", { mode: 0o600 });
    chownSync(file, stranger, stranger);
    chmodSync(file, 0);
  }
  const words = files.map(
    (file) => `Skipped ${file}: it cannot be read: permission denied. To fix it: chmod u+rw ${file}`,
  );
  const { stderr } = run("-p", "help", ...offline);
  const { stdout: checked } = run("doctor");
  for (const word of words) {
    expect(stderr).toContain(`${word}\n`);
    expect(checked).toContain(`~ ${word}\n`);
  }
  // Root owns it, as after a start with sudo.
  chownSync(files[0] ?? "", 0, 0);
  expect(run("doctor").stdout).toMatch(
    /AGENTS\.md: it cannot be read: permission denied\. \S+ belongs to root\. To make it yours: /,
  );
});

test.runIf(isRoot)("names commands and agents that cannot be read (needs root)", async () => {
  const { own, run } = await otherUser();
  const directories = ["commands", "agents"].map((name) => join(own, name));
  for (const directory of directories) {
    mkdirSync(directory);
    writeFileSync(join(directory, "foo.md"), "Say hi.", { mode: 0 });
    chownSync(join(directory, "foo.md"), stranger, stranger);
    chownSync(directory, stranger, stranger);
  }
  const [commands = ""] = directories;
  const why = (path: string) => `cannot be read: permission denied. To fix it: chmod ${path}`;
  const file = join(commands, "foo.md");
  const unused = `The command /foo is not used: ${file} ${why(`u+rw ${file}`)}`;
  expect(run("doctor").stdout).toContain(`~ ${unused}\n`);
  expect(run("-p", "/foo", ...offline).stderr).toContain(unused);
  for (const directory of directories) chmodSync(directory, 0);
  const { stdout } = run("doctor");
  for (const directory of directories) expect(stdout).toContain(`~ ${directory} ${why(`u+rwx ${directory}`)}\n`);
  const hidden = `The command /foo is not used: ${file} ${why(`u+rwx ${commands}`)}`;
  expect(run("-p", "/foo", ...offline).stderr).toContain(hidden);
});
