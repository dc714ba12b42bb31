// What `npm start` does before it starts ikigai: installs the dependencies and builds what has changed. Says so on stderr when there
// is something to do, since that takes half a minute in a new clone; otherwise it prints nothing.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

await install();
await build();

async function install() {
  const isInstalled = textOf("node_modules/.pnpm/lock.yaml") === textOf("pnpm-lock.yaml");
  if (!isInstalled) process.stderr.write("Installing the dependencies…\n");
  await npm(["bootstrap", "--", "--silent"], () => {});
}

async function build() {
  let isAnnounced = false;
  await npm(["turbo", "--", "build", "--output-logs=new-only"], (output) => {
    if (isAnnounced || !output.includes("cache miss")) return;
    isAnnounced = true;
    process.stderr.write("Building ikigai…\n");
  });
}

/** The text of a file; `undefined` if it cannot be read. */
function textOf(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Runs a script of package.json. Its output goes to `look`, and to stderr when it fails, which ends this process. */
async function npm(args, look) {
  const child = spawn("npm", ["run", "--silent", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const keep = (chunk) => {
    output += chunk;
    look(output);
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", keep);
  const exitCode = await new Promise((end) => {
    child.on("error", (error) => end(keep(`npm was not started: ${error.message}\n`) ?? 1));
    child.on("close", (code) => end(code ?? 1));
  });
  if (exitCode === 0) return;
  process.stderr.write(output);
  process.exit(exitCode);
}
