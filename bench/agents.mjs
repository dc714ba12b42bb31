// The agents that are compared: how each is installed, set up for a model on loopback, and started.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ikigai, scratch } from "./measure.mjs";

const key = "sk-not-a-key";
// `--keep=DIR`: install them here, and keep them for the next run.
const kept = process.argv.find((argument) => argument.startsWith("--keep="))?.slice("--keep=".length);
const place = kept ?? scratch();

/** `args`: one task without a terminal; `screen`: the full screen; `files`: what is in the home, as JSON. */
export const agents = [
  {
    name: "ikigai",
    command: [process.execPath, ikigai],
    args: () => ["-p", "go", "--model", "openai-compatible/test", "--allow", "bash"],
    screen: () => ["--model", "openai-compatible/test"],
    env: (url) => ({ OPENAI_COMPATIBLE_BASE_URL: url }),
  },
  {
    name: "codex",
    from: "@openai/codex",
    args: (url) => [
      ...["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", "-m", "test"],
      ...["-c", 'model_provider="bench"', "-c", "features.apps=false", "-c", "features.plugins=false"],
      ...["-c", `model_providers.bench={name="bench",base_url="${url}/v1",env_key="BENCH_KEY",wire_api="responses"}`],
      "go",
    ],
    env: () => ({ BENCH_KEY: key }),
  },
  {
    name: "claude",
    from: "@anthropic-ai/claude-code",
    args: () => ["-p", "go", "--allowedTools", "Bash"],
    screen: () => [],
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
    files: (_url, project) => ({
      ".claude.json": {
        hasCompletedOnboarding: true,
        theme: "dark",
        customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
        projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
      },
    }),
  },
  {
    name: "pi",
    from: "@earendil-works/pi-coding-agent",
    args: () => ["-p", "go", "--provider", "bench", "--model", "test"],
    screen: () => ["--provider", "bench", "--model", "test"],
    env: () => ({}),
    files: (url) => ({
      ".pi/agent/models.json": {
        providers: {
          bench: { baseUrl: `${url}/v1`, api: "openai-completions", apiKey: key, models: [{ id: "test" }] },
        },
      },
    }),
  },
  {
    name: "gemini",
    from: "@google/gemini-cli",
    args: () => ["-p", "go", "--yolo", "--skip-trust", "--model", "gemini-2.5-pro"],
    env: (url) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: "true" }),
    files: () => ({
      ".gemini/settings.json": {
        security: { auth: { selectedType: "gemini-api-key" } },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
      },
    }),
  },
  {
    name: "opencode",
    from: "opencode-ai",
    args: () => ["run", "--model", "bench/test", "go"],
    screen: () => ["--model", "bench/test"],
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1" }),
    files: (url) => ({
      ".config/opencode/opencode.json": {
        autoupdate: false,
        permission: "allow",
        small_model: "bench/test",
        provider: {
          bench: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${url}/v1`, apiKey: key },
            models: { test: {} },
          },
        },
      },
    }),
  },
];

/** Installs an agent from npm if it is not there; returns its command. */
export function install({ name, from, command }) {
  if (command) return command;
  const directory = join(place, name);
  const bin = join(directory, "node_modules/.bin", name);
  if (existsSync(bin)) return [bin];
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "package.json"), "{}");
  const options = { cwd: directory, stdio: ["ignore", "ignore", "pipe"], timeout: 300_000 };
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", from], options);
  return [bin];
}

export function versionOf({ name, from, command }) {
  const file = command
    ? join(dirname(ikigai), "../package.json")
    : join(place, name, "node_modules", from, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : "";
}

/** Writes an agent's configuration for a model server into its home. */
export function setUp({ files }, url, { home, project }) {
  for (const [path, content] of Object.entries(files?.(url, project) ?? {})) {
    mkdirSync(join(home, dirname(path)), { recursive: true });
    writeFileSync(join(home, path), JSON.stringify(content));
  }
}

export function bareEnvironment() {
  const { PATH, LANG, NODE_EXTRA_CA_CERTS } = process.env;
  return { PATH, LANG: LANG ?? "C.UTF-8", ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }) };
}
