// Node reads a file whole before it runs a line of it, so this one keeps to what a Node of any age can read: it imports
// nothing, and everything else is loaded once this Node is known to be new enough.

const oldest = { major: 20, minor: 19 };
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < oldest.major || (major === oldest.major && minor < oldest.minor)) {
  refuse(
    `Expected Node ${oldest.major}.${oldest.minor} or newer, got ${process.versions.node}. Install it from https://nodejs.org.`,
  );
} else if (process.platform === "win32") {
  refuse("Expected Linux or macOS, got Windows. Run ikigai inside WSL: https://learn.microsoft.com/windows/wsl.");
} else {
  import("./cli.ts").then(({ cli }) => cli(process.argv.slice(2)));
}

function refuse(message: string): void {
  process.stderr.write(`ikigai: ${message}\n`);
  process.exitCode = 1;
}
