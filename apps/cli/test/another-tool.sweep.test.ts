import { execFile } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";
import { copySources } from "../../../packages/registry-tests/test/repository.ts";

const execute = promisify(execFile);

/** Matches test files that count or name the shipped tools, or run each of them. */
const toolCounting = /shipped-tools|readdirSync\(.*libexec|tools loaded|Tools: /;

test.runIf(inject("isThorough"))(
  "another tool touches its own folder, one list, the lockfile and the picture, and every test that counts tools passes",
  { timeout: 3_600_000 },
  async () => {
    const repository = await copySources();
    const run = (script: string) => runIn(repository, script);
    await run("git init -q && git add -A && git -c user.name=a -c user.email=a@example.org commit -qm Everything");

    addTool(repository, "scratch");
    await run("npm run --silent pnpm -- install --prefer-offline --no-frozen-lockfile");
    await run("npm run --silent fix && npm run --silent build && npm run --silent graph");
    await run("npm run --silent check && npm run --silent typecheck");
    const tests = countingTests(repository);
    expect(tests).toContain("apps/cli/test/doctor.test.ts");
    expect(tests).toContain("packages/registry-tests/test/command.test.ts");
    await run(`node_modules/.bin/vitest run packages/scratch-tool/test/executable ${tests.join(" ")}`);

    const { stdout } = await run("git status --porcelain");
    expect(stdout).toBe(
      " M apps/cli/package.json\n M docs/architecture.svg\n M pnpm-lock.yaml\n?? packages/scratch-tool/\n",
    );
  },
);

/** Follows CONTRIBUTING.md: copies glob-tool under another name and adds it to the shipped tools. */
function addTool(repository: string, name: string): void {
  const folder = join(repository, "packages", `${name}-tool`);
  cpSync(join(repository, "packages/glob-tool"), folder, { recursive: true });
  for (const file of filesBelow(folder)) {
    const text = readFileSync(file, "utf8").replaceAll("glob-tool", `${name}-tool`);
    writeFileSync(file, text.replaceAll('name: "glob"', `name: "${name}"`));
  }
  const manifestPath = join(repository, "apps/cli/package.json");
  const manifest = JSON.parse(readFileSync(manifestPath, "utf8"));
  manifest.devDependencies[`@ikigai/${name}-tool`] = "workspace:*";
  writeFileSync(manifestPath, `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The test files that another tool could break, relative to the repository. */
function countingTests(repository: string): string[] {
  const files = ["packages", "apps"].flatMap((group) => filesBelow(join(repository, group)));
  const tests = files.filter((file) => file.endsWith(".test.ts") && !file.endsWith(".sweep.test.ts"));
  return tests
    .filter((file) => toolCounting.test(readFileSync(file, "utf8")))
    .map((file) => file.slice(repository.length + 1));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}

/** Runs a shell script as a contributor would; throws with its output if it fails. */
async function runIn(cwd: string, script: string): Promise<{ readonly stdout: string }> {
  // The variables that vitest and npm set for this run would affect the run inside it.
  const own = Object.entries(process.env).filter(
    ([name]) =>
      !/^(VITEST|IKIGAI_|npm_(?!config_(cache|registry)$)|(NODE_ENV|TEST|MODE|DEV|PROD|SSR|BASE_URL|CI)$)/.test(name),
  );
  const env = { ...Object.fromEntries(own), TURBO_TELEMETRY_DISABLED: "1" };
  return execute("sh", ["-ec", script], { cwd, env, maxBuffer: 1e8 }).catch((error) => {
    throw new Error(`${script} failed:\n${error.stdout}\n${error.stderr}`);
  });
}
