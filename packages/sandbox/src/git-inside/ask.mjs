// Asks ikigai, through the door of the sandbox's network, to run a git command that records work. If it does not, git itself runs, and
// says what it cannot do here. Runs with whatever Node the project has.
import { spawnSync } from "node:child_process";
import { accessSync, constants as modes, readFileSync } from "node:fs";
import { request } from "node:http";
import { constants } from "node:os";
import { join, resolve } from "node:path";

const [own = "", ...given] = process.argv.slice(2);
const [cwd, asked] = given[0] === "-C" ? [resolve(given[1]), given.slice(2)] : [process.cwd(), given];

const answer = await ask({ cwd, args: withMessage(asked), env: whoCommits() }).catch(() => ({}));
if (typeof answer.exit_code === "number") {
  process.stdout.write(answer.output);
  process.exitCode = answer.exit_code;
} else {
  process.exitCode = runGit();
  if (process.exitCode !== 0 && answer.refused) process.stderr.write(`ikigai: git ${asked[0]}: ${answer.refused}\n`);
}

/** A message that is piped to it, which ikigai does not see, becomes an argument. */
function withMessage(args) {
  const place = args.findIndex((arg, index) => arg === "-" && /^(?:-[a-z]*F|--file)$/.test(args[index - 1]));
  if (args[0] !== "commit" || place < 1) return args;
  const others = args[place - 1].replace(/^--file$|F$/, "").replace(/^-$/, "");
  const before = [...args.slice(0, place - 1), ...(others === "" ? [] : [others])];
  return [...before, "-m", readFileSync(0, "utf8"), ...args.slice(place + 1)];
}

function whoCommits() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => /^GIT_(?:AUTHOR|COMMITTER)_/.test(name)));
}

function ask(question) {
  const { hostname, port, username, password } = new URL(process.env.HTTP_PROXY);
  const authorization = Buffer.from(`${username}:${password}`).toString("base64");
  const headers = { "proxy-authorization": `Basic ${authorization}`, "content-type": "application/json" };
  return new Promise((settle, reject) => {
    const sent = request({ hostname, port, method: "POST", path: "http://ikigai.invalid/git", headers, agent: false });
    sent.on("error", reject);
    sent.on("response", async (response) => {
      try {
        const pieces = [];
        for await (const piece of response) pieces.push(piece);
        settle(JSON.parse(Buffer.concat(pieces).toString()));
      } catch (error) {
        reject(error);
      }
    });
    sent.end(JSON.stringify(question));
  });
}

function runGit() {
  const path = process.env.PATH.split(":").filter((place) => place !== own);
  const git = path.map((place) => join(place, "git")).find(isProgram) || "git";
  const { status, signal } = spawnSync(git, given, { stdio: "inherit" });
  return status ?? 128 + (constants.signals[signal] ?? 0);
}

function isProgram(file) {
  try {
    accessSync(file, modes.X_OK);
    return true;
  } catch {
    return false;
  }
}
