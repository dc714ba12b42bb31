// Promise 2 of SECURITY.md.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { describe, expect, type TestContext, test, vi } from "vitest";
import { socketFilter } from "../../sandbox/src/bubblewrap.ts";
import { hasBubblewrap, sandboxStage } from "./sandbox-stage.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;

async function listen(path: string, { onTestFinished }: Pick<TestContext, "onTestFinished">): Promise<void> {
  const server: Server = createServer((socket) => socket.end("inside out")).unref();
  onTestFinished(() => void server.close());
  await new Promise<void>((settle) => server.listen({ path }, settle));
}

/** Connects to sockets one after another once the file `go` exists, and prints each result. */
const connect = (...paths: string[]) => `node -e '
  const paths = ${JSON.stringify(paths)};
  const next = () => {
    const path = paths.shift();
    if (path) net.connect(path).on("data", (data) => console.log(String(data))).on("error", (error) => console.log(error.code)).on("close", next);
  };
  next();'`;

const python = (code: string) => `python3 - << 'END'\nimport ctypes, os, socket\n${code}\nEND`;

describe.skipIf(!hasBubblewrap)("in the sandbox (needs bwrap) a tool", () => {
  test.concurrent("reaches no Unix socket, inside or outside the project, with or without the network", async (context) => {
    const { run, sandbox, projectDir, root } = await sandboxStage({ "outside/": "" });
    const paths = [join(projectDir, "s"), join(root, "person/s")];
    for (const path of paths) await listen(path, context);
    for (const network of [false, true]) {
      expect((await run(connect(...paths), { sandbox: { ...sandbox, network } })).output).toBe("EPERM\nEPERM");
    }
  });

  test.concurrent("reaches no socket that starts listening later", async (context) => {
    const { run, projectDir, root } = await sandboxStage();
    const paths = [join(projectDir, "late"), join(root, "person/late")];
    const ran = run(`touch started; while [ ! -S late ]; do sleep 0.05; done; ${connect(...paths)}`);
    await vi.waitFor(() => expect(existsSync(join(projectDir, "started"))).toBe(true), {
      timeout: 50_000,
      interval: 20,
    });
    for (const path of paths.reverse()) await listen(path, context);
    expect((await ran).output).toBe("EPERM\nEPERM");
  });

  test.concurrent("reaches the project's sockets if sockets are granted, but no others", async (context) => {
    const { run, sandbox, projectDir, root } = await sandboxStage();
    const paths = [join(projectDir, "s"), join(root, "person/s")];
    for (const path of paths) await listen(path, context);
    const { output } = await run(connect(...paths), { sandbox: { ...sandbox, sockets: true } });
    expect(output).toMatch(/^inside out\nE[A-Z]+$/);
  });

  test.concurrent("does not start with the network and sockets together", async () => {
    const { run, sandbox } = await sandboxStage();
    const { envelope } = await run("true", { sandbox: { ...sandbox, network: true, sockets: true } });
    expect(envelope).toMatchObject({
      error: expect.stringContaining("with network access and sandbox.sockets together"),
    });
  });

  test.concurrent("can start programs and talk to them", async () => {
    const { run } = await sandboxStage();
    const script = `node -e '
      const { fork } = require("child_process");
      require("fs").writeFileSync("child.js", "process.send(1 + 1)");
      fork("./child.js").on("message", (said) => console.log("said", said));'`;
    expect((await run(script)).output).toBe("said 2");
  });

  test
    .skipIf(!hasPython)
    .concurrent("cannot create a socket that bypasses the filter, or use a keyring (needs python3)", async () => {
      const { run, sandbox } = await sandboxStage();
      const attempts = {
        AF_UNIX: "socket.socket(socket.AF_UNIX)",
        "a datagram": "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)",
        "a pair that can be sent elsewhere": "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)",
        "a raw pair, which is the same": "socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW)",
        "vsock, which no namespace holds": "socket.socket(40, socket.SOCK_STREAM)",
        "a family with garbage in the upper half":
          "check(ctypes.CDLL(None, use_errno=True).syscall(SOCKET, ctypes.c_ulong((1 << 32) | 1), 1, 0))",
        "netlink of the firewall": "socket.socket(16, socket.SOCK_RAW, 12)",
        "netlink of auditing": "socket.socket(16, socket.SOCK_RAW, 9)",
        "a user namespace by unshare": "check(ctypes.CDLL(None, use_errno=True).unshare(0x10020000))",
        "a user namespace by clone": "check(ctypes.CDLL(None, use_errno=True).syscall(CLONE, 0x10000011, 0, 0, 0, 0))",
        clone3: "check(ctypes.CDLL(None, use_errno=True).syscall(435, 0, 0))",
        io_uring: "check(ctypes.CDLL(None, use_errno=True).syscall(425, 1, 0))",
        add_key: "check(ctypes.CDLL(None, use_errno=True).syscall(KEYS, b'user', b'x', b'x', 1, -3))",
        request_key: "check(ctypes.CDLL(None, use_errno=True).syscall(KEYS + 1, b'user', b'x', None, 0))",
        keyctl: "check(ctypes.CDLL(None, use_errno=True).syscall(KEYS + 2, 0, -3, 1))",
      };
      const isMissing = (name: string) => ["clone3", "io_uring", "add_key", "request_key", "keyctl"].includes(name);
      const head = `SOCKET, KEYS, CLONE = ${process.arch === "arm64" ? "198, 217, 220" : "41, 248, 56"}
def check(result):
    if result < 0: raise OSError(ctypes.get_errno(), "refused")
def attempt(name, code):
    try:
        eval(code)
        print(name, "worked")
    except OSError as error:
        print(name, error.errno)
`;
      const calls = Object.entries(attempts).map(
        ([name, code]) => `attempt(${JSON.stringify(name)}, ${JSON.stringify(code)})`,
      );
      for (const network of [false, true]) {
        const { output } = await run(python(`${head}${calls.join("\n")}`), { sandbox: { ...sandbox, network } });
        expect(output.split("\n")).toEqual(Object.keys(attempts).map((name) => `${name} ${isMissing(name) ? 38 : 1}`));
      }
      const fine =
        "socket.socketpair(); socket.socket(socket.AF_INET); socket.socket(socket.AF_INET6); socket.socket(16, socket.SOCK_RAW, 0); print('fine')";
      expect((await run(python(fine))).output).toBe("fine");
    });
});

test("has a filter for each known architecture, and none for others", () => {
  for (const arch of ["x64", "arm64"]) {
    const filter = socketFilter({ unix: false }, arch);
    // Whole instructions, and no jump beyond its 8-bit range.
    expect((filter?.length ?? 1) % 8).toBe(0);
    expect((filter?.length ?? 0) / 8).toBeLessThan(255);
  }
  expect(socketFilter({ unix: false }, "s390x")).toBeUndefined();
});
