import { describe, expect, test } from "vitest";
import { rules, verdictOn } from "./decide-call.ts";

const home = "/nowhere/home";

describe("asks in every mode, whatever the rules, when a command", () => {
  test.each([
    "echo trust | env xargs ikigai",
    "echo set model x/y | env xargs ikigai config",
    "timeout 9 xargs ikigai config",
    "nice xargs ikigai config",
    "find set -exec ikigai config {} permission.mode allow \\;",
    "touch set; find set -exec ikigai config {} permission.mode allow \\;",
    "find /usr/bin/ikigai -exec {} models \\;",
    "find /usr/bin/ikigai -exec env {} models \\;",
    "echo sk-attacker | ikigai $(echo lo)gin openai --no-check",
    "ikigai $(cat f)",
    "read a < f; ikigai $a",
    "bash -c 'ikigai config \"$@\"' _ set model x",
    "bash -c '\"$0\" models' ikigai",
    "env -S 'ikigai models'",
    "sh -c \"sh -c 'ikigai models'\"",
    "ikigai {config,set,model,x}",
    "{ikigai,models}",
    "ik$@igai models",
    "ik$\x7bx}igai models",
    "ik$''igai models",
    "/usr/bin/ik* $x",
    "env /usr/bin/ik* models",
    "echo ikigai models | sh",
    "which ikigai | xargs -I% % models",
    "echo models | parallel ikigai",
  ])("builds the words of ikigai: %s", asks);

  test.each([
    "OPENAI_BASE_URL=http://127.0.0.1:1 ikigai models openai",
    "env OPENAI_BASE_URL=http://127.0.0.1:1 ikigai doctor",
    "env https_proxy=http://127.0.0.1:1 ikigai doctor",
    "export HTTPS_PROXY=http://127.0.0.1:1; ikigai doctor",
    "ikigai models",
    "ikigai init --model offline",
    "ikigai -p hi",
    "ikigai hi",
    "echo hi | ikigai",
    "env ikigai",
    "ikigai --permission-mode allow -p hi",
    "ikigai doctor -p hi",
    "ikigai --version tool add x",
    "ikigai replay 1",
    "npx @ikigai/cli models",
    "npx -p @ikigai/cli ikigai -p hi",
    "node dist/ikigai.js models",
    "node --import ./x.js dist/ikigai.js",
    "strace -f ikigai models",
    "python3 -c 'import os; os.system(\"ikigai models\")'",
    'ikigai tool call bash \'{"command":"ikigai models"}\'',
    'ikigai tool call bash \'{"command":"ls"}\'',
    "ikigai tool call mine",
    "sh -c 'ikigai tool call mine {}'",
    'ikigai tool call bash \'{"command":"iki\\u0067ai tr\\u0075st --yes"}\'',
    'ikigai tool call bash \'{"c\\u006fmmand":"iki\\"\\"gai models"}\'',
    'env ikigai tool call bash \'{"command":"\\u0069kigai models"}\'',
    'ikigai tool call file_write \'{"file_path":"/nowhere/.iki\\u0067ai/tools/a-tool","content":""}\'',
    'ikigai tool call file_write \'{"file_path":".iki\\u0067ai/tools/a-tool","content":""}\'',
    'ikigai tool call agents \'{"list":[{"inner":"\\u0069kigai models"}]}\'',
    'ikigai tool call bash \'{"command":"\\u0069kigai models"\'',
    "printf x | ikigai tool call bash -",
    "ikigai tool check deploy --call '{}'",
    "ikigai tool check ./x-tool",
  ])("runs ikigai with words that are not known to be harmless: %s", asks);

  test.each([
    "prlimit ikigai tool call deploy {}",
    "prlimit ikigai mcp add evil --yes -- node ./srv.cjs",
    "choom -n 1 -- ikigai hook add x",
    "perl -e 'exec @ARGV' ikigai tool call deploy {}",
    "perl -e 'system(\"ikigai tool call deploy {}\")'",
    'python3 -c \'import subprocess; subprocess.run(["ikigai", "mcp", "add", "x"])\'',
    "awk 'BEGIN{system(\"ikigai mcp add x\")}'",
    "vim -c '!ikigai tool call deploy {}' -c q",
    "tar cf x --checkpoint=1 --checkpoint-action=exec='ikigai tool call deploy {}' y",
    "git -c alias.x='!ikigai tool call deploy {}' x",
    "git rebase --root --exec 'ikigai tool call deploy {}'",
    "git bisect run ikigai tool call deploy {}",
    "sed -n '1e ikigai tool call deploy {}' x",
    "npm --prefix x exec ikigai tool call deploy {}",
    "node -r node:os x/ikigai tool call deploy {}",
    "perf stat ikigai --model x/y",
    "prlimit ikigai hello",
    "prlimit ikigai --output-format json -p x --allow bash",
    "docker run ikigai --permission-mode=allow hi",
    "python3 run.py ikigai hello --allow bash",
    "git -c alias.x='!ikigai' x tool call file_write {}",
    "git -c core.editor=ikigai commit --allow-empty",
    "git -c diff.external=/usr/bin/ikigai diff",
    "git difftool -y -x ikigai",
    "git grep -Oikigai a",
    "sed -e 1eikigai f",
    "sed -n '1e ikigai hello' f",
    "sed 's/a/ikigai hello/e' f",
    "sort --compress-program=ikigai f",
    "rg --pre ikigai x f",
    "rg --pre=ikigai x f",
    "tar cf x y --use-compress-program=ikigai",
    "tar cf x y --checkpoint=1 --checkpoint-action=exec=ikigai",
  ])("runs another program that may run ikigai: %s", asks);

  test.each([
    "for f in $HOME/.ik*; do echo x > $f/config.json; done",
    "for f in ~/.ik*; do echo $f; done",
    "echo $x > ~/.ik$y/config.json",
    "echo $x > ~/.{ikiga,x}i/config.json",
    'echo $x > "$HOME/.$y/config.json"',
    "echo x > $HOME/$y/config.json",
    "echo x > $\x7bHOME}/.[i]kigai/config.json",
    "cd ~; for f in .*; do echo x > $f/config.json; done",
    "bash -c 'rev ~/.ik*/cred*'",
    "rev $HOME/.ik*/cred*",
  ])("may expand to .ikigai: %s", asks);

  test.each([
    "secret-tool search --all service ikigai",
    "/usr/bin/secret-tool lookup service x",
    "secret''-tool lookup service $x",
    "env secret-tool lookup a b",
    "security dump-keychain -d",
    "security find-generic-password -w",
    "security $(echo dump)-keychain",
    "echo dump-keychain | xargs security",
    "sh -c 'security -i' < f",
    "cat ../x/credentials.json",
    "busctl --user call org.freedesktop.secrets /a b c",
  ])("may print stored keys: %s", asks);
});

test.each(["echo login | env xargs ikigai", "secret-tool lookup a b", "security find-generic-password -w"])(
  "asks about it as an argument of another tool: %s",
  (cmd) => {
    expect(verdictOn("shell", { cmd }, { mode: "allow", home, ...rules(["allow", "*"]) })).toBe("ask");
  },
);

test.each([
  "ikigai --help",
  "ikigai --version",
  "ikigai version",
  "ikigai help",
  "ikigai help sandbox",
  "ikigai doctor",
  "ikigai completion bash",
  "ikigai config get model",
  "ikigai config path",
  "ikigai config schema",
  "ikigai tool list",
  "ikigai tool show bash",
  "ikigai tool log",
  "npx --yes @ikigai/cli doctor",
  "npx -p @ikigai/cli ikigai doctor",
  "node dist/ikigai.js tool list",
  "timeout 9 ikigai doctor",
  "sh -c 'cd x; ikigai doctor'",
  "which ikigai",
  "command -v ikigai",
  "cd /work/ikigai && npm test",
  "npm test -w ikigai",
  "npx vitest run packages/ikigai",
  "git clone https://host/x ikigai",
  "git -C ikigai init",
  "docker build -t ikigai .",
  "docker build -t ikigai -f Dockerfile .",
  "git commit -m 'Make ikigai tool list faster'",
  "git add ikigai && git commit -m 'Describe ikigai'",
  "sed -i s/ikigai/other/ help tool",
  "sed -i 's/the ikigai tool/the tool/' README.md",
  "git checkout -b ikigai",
  "git log --oneline -- packages/ikigai",
  "rg -o ikigai src",
  "prlimit ikigai tool list",
  "grep -rl ikigai . | xargs sed -i s/a/b/",
  "ls packages/ikigai | xargs -n 1 grep models",
  "find packages/ikigai -name x -exec prettier --write {} +",
  "timeout 9 ls packages/ikigai",
  "cd /work/ikigai && cat list | xargs npm install",
  "for f in *.ts; do echo $f; done",
  "for f in i*; do echo $f; done",
  "x=$(echo a=b | sed 's/.*=//'); echo $x",
  "cat file.$x ../$y ./$z",
  'echo "$HOME/bin:$PATH"',
  "find . -name '*.md' -exec sh -c 'wc -l $1' _ {} \\;",
  "echo a | xargs -I{} sh -c 'echo {}'",
  "HTTPS_PROXY=http://127.0.0.1:1 curl https://host",
  "npm run security",
  "cat docs/security.md",
  "for f in docs; do grep -l security $f; done",
  "ls libsecret-tools",
])("does not ask about %s", (command) => {
  expect(verdictOn("bash", { command }, { mode: "allow", home })).toBe("allow");
});

test("a script of sed that names ikigai is searched up to its limit", () => {
  const verdict = (length: number) =>
    verdictOn(
      "bash",
      { command: `sed 's/ikigai/${"x".repeat(length - "s/ikigai//".length)}/' f` },
      { mode: "allow", home },
    );
  expect([verdict(4_096), verdict(4_097)]).toEqual(["allow", "ask"]);
});

function asks(command: string): void {
  for (const mode of ["ask", "edits", "allow"] as const) {
    expect(verdictOn("bash", { command }, { mode, home, ...rules(["allow", "bash"]) })).toBe("ask");
  }
}
