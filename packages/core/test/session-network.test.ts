// Promise 3 of SECURITY.md.
// @module-tag sampled
import { execFileSync } from "node:child_process";
import type { LookupAllOptions } from "node:dns";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import type { AskedTarget, HostVerdict } from "@ikigai/http/door";
import { isRunning, tempDir } from "@ikigai/testing";
import { describe, expect, test, vi } from "vitest";
import { internet, network, serveGit } from "./internet.ts";
import { hasBubblewrap, sandboxStage } from "./sandbox-stage.ts";

const allow: HostVerdict = { verdict: "allow" };
const spelled: HostVerdict = { verdict: "allow", isSpelled: true };

/** curl through the proxy of the environment, in its three languages. */
const ways = {
  http: "curl -sS -m 9",
  connect: "curl -sS -m 9 -p",
  socks: `curl -sS -m 9 --socks5-hostname "\${HTTP_PROXY#http://}"`,
};

describe.skipIf(!hasBubblewrap)("the network of a session (needs bwrap)", () => {
  test("lets programs reach the hosts of rules, and counts what each tool moves", async (context) => {
    const { env, requests } = await internet(context);
    const door = network(context, { env, ruleFor: ({ host }) => (host === "a.example.com" ? allow : undefined) });
    const { run, sandbox } = await sandboxStage();
    for (const way of Object.values(ways)) {
      const { output } = await run(`${way} http://a.example.com/x`, { sandbox: { ...sandbox, door } });
      expect({ way, output }).toEqual({ way, output: "hello from a.example.com" });
    }
    expect(requests).toEqual([
      "GET http://a.example.com/x",
      ...["CONNECT a.example.com:80", "GET /x", "CONNECT a.example.com:80", "GET /x"],
    ]);
    expect(door.traffic()).toEqual([
      {
        tool: "try",
        host: "a.example.com",
        port: 80,
        connections: 3,
        sent: expect.any(Number),
        received: expect.any(Number),
      },
    ]);
    expect(door.traffic()[0]?.received).toBeGreaterThan(300);
  });

  test("refuses other hosts, and names the rule", async (context) => {
    const { env, requests } = await internet(context);
    const rules: Record<string, HostVerdict> = { "denied.example.com": { verdict: "deny" } };
    const door = network(context, { env, ruleFor: ({ host }) => rules[host] });
    const { run, sandbox } = await sandboxStage();
    const get = async (script: string) => (await run(script, { sandbox: { ...sandbox, door } })).output;
    const refusal = "host b.example.com: not allowed; --allow 'host(b.example.com)'";
    expect(await get(`${ways.http} http://b.example.com/`)).toBe(refusal);
    expect(await get(`${ways.http} -v https://b.example.com/`)).toContain(`403 ${refusal}`);
    expect(await get(`${ways.socks} http://b.example.com/`)).toContain("(2)");
    expect(await get(`${ways.http} http://b.example.com:8080/`)).toContain("--allow 'host(b.example.com:8080)'");
    expect(await get(`${ways.http} http://denied.example.com/`)).toBe("host denied.example.com: a rule denies it");
    expect(requests).toEqual([]);
    expect(door.traffic().map(({ refused }) => refused)).toContain(refusal);
  });

  test("closes this machine and private networks to rules that do not spell them", async (context) => {
    const { port } = await internet(context);
    const door = network(context, { ruleFor: () => allow });
    const { run, sandbox } = await sandboxStage();
    const near = ["127.0.0.1", "localhost", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "[::1]", "0.0.0.0"];
    const hosts = [...near, "169.254.169.254", "10.0.0.1", "192.168.1.1", "metadata.google.internal"];
    for (const host of hosts) {
      const script = `${ways.http} --noproxy '' http://${host}:${port}/; ${ways.socks} --noproxy '' http://${host}:${port}/`;
      const { output } = await run(script, { sandbox: { ...sandbox, door } });
      expect({ host, output }).toEqual({ host, output: expect.not.stringContaining("hello") });
      if (!host.endsWith("internal")) expect(output).toMatch(/local or private address.*\(2\)/s);
    }
  });

  test("opens a port of this machine that a rule spells, also to programs without support for proxies", async (context) => {
    const { port } = await internet(context);
    const isOpen = (to: { host: string; port: number }) => to.host === "localhost" && to.port === port;
    const door = network(context, { localPorts: () => [port], ruleFor: (to) => (isOpen(to) ? spelled : undefined) });
    const { run, sandbox } = await sandboxStage();
    const script = `curl -sS --noproxy '*' http://127.0.0.1:${port}/; ${Object.values(ways)
      .map((way) => `${way} --noproxy '' http://localhost:${port}/`)
      .join("; ")}`;
    const { output } = await run(script, { sandbox: { ...sandbox, door } });
    expect(output).toBe(
      ["127.0.0.1", "localhost", "localhost", "localhost"].map((host) => `hello from ${host}`).join("\n"),
    );
    expect(door.traffic().map(({ tool, connections }) => [tool, connections])).toEqual([
      ["", 1],
      ["try", 3],
    ]);
  });

  test("passes on what a program gets after it has said everything", async (context) => {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      let bytes = 0;
      socket.on("data", (chunk) => (bytes += chunk.length)).once("end", () => socket.end(`got ${bytes}`));
    }).listen(0, "127.0.0.1");
    context.onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const door = network(context, { localPorts: () => [port], ruleFor: () => spelled });
    const { run, sandbox } = await sandboxStage();
    const script = `node -e 'net.connect({ port: ${port}, allowHalfOpen: true }).end("x".repeat(1e6)).pipe(process.stdout)'`;
    expect((await run(script, { sandbox: { ...sandbox, door } })).output).toBe("got 1000000");
  });

  test("is one for all sandboxes: a server of one call answers another; what only reads has none", async (context) => {
    const door = network(context);
    const { run, sandbox } = await sandboxStage();
    const server =
      "node -e 'http.createServer((_, r) => { r.end(`served`); setTimeout(process.exit, 200) }).listen(8080)'";
    const serving = run(server, { sandbox: { ...sandbox, door } });
    const get = "curl -sS --retry 20 --retry-delay 1 --retry-connrefused http://localhost:8080/ 2>&1 | tail -1";
    expect((await run(get, { sandbox: { ...sandbox, door } })).output).toBe("served");
    expect((await serving).code).toBe(0);
    const reading = { ...sandbox, door, isReadOnly: true };
    expect(
      (
        await run("echo $HTTP_PROXY; cat /proc/net/dev | wc -l; curl -sS http://127.0.0.1:3128/", {
          sandbox: reading,
        })
      ).output,
    ).toMatch(/^\n3\ncurl: \(7\)/);
  });

  test("knows each tool by its password", async (context) => {
    const { env } = await internet(context);
    const tools: string[] = [];
    const door = network(context, { env, ruleFor: ({ tool }) => (tools.push(tool) > 0 ? allow : undefined) });
    const { run, sandbox } = await sandboxStage();
    const get = async (script: string) => (await run(script, { sandbox: { ...sandbox, door } })).output;
    const url = "http://a.example.com/";
    for (const login of ["", "try:wrong@", `other:\${HTTP_PROXY:11:32}@`]) {
      const proxy = `${login}127.0.0.1:3128`;
      const code = `bash -c 'curl -sS -o /dev/null -D - -x "http://${proxy}" ${url}; curl -sS --socks5-hostname "${proxy}" ${url}'`;
      const output = await get(code);
      expect({ login, output }).toEqual({
        login,
        output: expect.stringMatching(/^HTTP\/1.1 407 .*basic realm="ikigai".*curl: \((?:97|7)\)/is),
      });
    }
    expect(tools).toEqual([]);
    // Asked for credentials first, as git does without a hint.
    expect(await get(`curl -sS --proxy-anyauth ${url}`)).toBe("hello from a.example.com");
    expect(tools).toEqual(["try"]);
  });

  test("lets git clone and push through it", async (context) => {
    const bare = await tempDir();
    execFileSync("git", ["init", "-q", "--bare", "-b", "main", join(bare, "x.git")]);
    execFileSync("git", ["-C", join(bare, "x.git"), "config", "http.receivepack", "true"]);
    const { env } = await internet(context, (request, response, url) => serveGit(bare, request, response, url));
    const door = network(context, { env, ruleFor: ({ host }) => (host === "git.example.com" ? allow : undefined) });
    const { run, sandbox } = await sandboxStage();
    const me = "-c user.name=me -c user.email=me@example.com";
    const script = `cd /tmp && rm -rf one two && git clone -q http://git.example.com/x.git one && cd one && git ${me} commit -q --allow-empty -m first &&
      git push -q origin HEAD:main && git clone -q http://git.example.com/x.git ../two && git -C ../two log --format=%s;
      GIT_HTTP_PROXY_AUTHMETHOD=anyauth git ls-remote -q http://git.example.com/x.git main | cut -f2; git ls-remote -q http://other.example.com/x.git`;
    const { output } = await run(script, { sandbox: { ...sandbox, door } });
    expect(output).toMatch(/first\nrefs\/heads\/main\n.*403/s);
  });

  test("asks once for all connections to one host", async (context) => {
    const { env } = await internet(context);
    const asked: string[] = [];
    const decide = async ({ host, tool }: { host: string; tool: string }) => {
      asked.push(`${tool} ${host}`);
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      return host.startsWith("yes") ? ({ allow: true } as const) : { allow: false as const, why: "the user denied it" };
    };
    const door = network(context, { env, decide });
    const { run, sandbox } = await sandboxStage();
    const all = (host: string) => `seq 10 | xargs -P 10 -I{} curl -sS -m 9 http://${host}/{}`;
    const { output } = await run(`${all("yes.example.com")}; ${all("no.example.com")} | sort -u`, {
      sandbox: { ...sandbox, door },
    });
    expect(output).toBe(`${"hello from yes.example.com\n".repeat(10)}host no.example.com: the user denied it`);
    expect(asked).toEqual(["try yes.example.com", "try no.example.com"]);
  });

  test("names in the question where a host leads, and looks up a name on the internet after a yes only", async (context) => {
    const { port } = await internet(context);
    const asked: string[] = [];
    const decide = async ({ host, near }: AskedTarget) => {
      asked.push([host, near ?? []].flat().join(": "));
      return near?.startsWith("10.") ? { allow: false as const, why: "the user denied it" } : { allow: true as const };
    };
    const door = network(context, { decide });
    const addresses: Record<string, string> = { "git.example.com": "10.0.0.9", "here.example.com": "127.0.0.1" };
    const dns = process.getBuiltinModule("node:dns/promises");
    const { lookup } = dns;
    const looked = vi.spyOn(dns, "lookup").mockImplementation(((host: string, options: LookupAllOptions) => {
      return lookup(addresses[host] ?? host, options);
    }) as typeof lookup);
    context.onTestFinished(() => looked.mockRestore());
    const { run, sandbox } = await sandboxStage();
    const get = async (host: string) => {
      const script = `${ways.http} --noproxy '' http://${host}:${port}/`;
      return (await run(script, { sandbox: { ...sandbox, door } })).output;
    };
    expect(await get("localhost")).toBe("hello from localhost");
    expect(await get("169.254.169.254")).toContain("leads to a link-local address; --allow");
    expect(await get("git.example.com")).toContain("the user denied it");
    expect(await get("here.example.com")).toContain("127.0.0.1, this computer, which a name on the internet must not");
    expect(asked).toEqual([
      `localhost: 127.0.0.1, this computer`,
      "git.example.com",
      "git.example.com: 10.0.0.9, a private address",
      "here.example.com",
    ]);
  });

  test("bears floods, silence and nonsense", async (context) => {
    const { env } = await internet(context);
    const door = network(context, { env, ruleFor: () => allow });
    const { run, sandbox } = await sandboxStage();
    const get = async (script: string) =>
      (await run(script, { sandbox: { ...sandbox, door }, timeoutMs: 60_000 })).output;
    const silent = `node -e 'for (let i = 0; i < 500; i++) net.connect(3128, "127.0.0.1").on("error", () => {}); setTimeout(process.exit, 2000)'`;
    await get(silent);
    expect(await get(`${ways.http} http://a.example.com/`)).toBe("hello from a.example.com");
    expect(
      await get(
        `curl -sS -o /dev/null -w '%{http_code}' -H "x: $(head -c 100000 /dev/zero | tr '\\0' x)" http://a.example.com/`,
      ),
    ).toMatch(/^431|^000/);
    const say = (text: string) =>
      `bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128; printf "${text}" >&3; timeout 1 head -c 200 <&3 | od -c | head -3'`;
    for (const text of [
      "\\x05",
      "\\x05\\x01\\x00",
      "\\x05\\xff",
      "GET / HTTP/1.1\\r\\n\\r\\n",
      "CONNECT x HTTP/1.1\\r\\n\\r\\n",
      "\\x16\\x03\\x01",
    ])
      await get(say(text));
    expect(await get("curl -sS http://127.0.0.1:3128/")).toContain("user name and password");
  });

  test("ends with the session and with the host, and is made again", async (context) => {
    const { env } = await internet(context);
    const door = network(context, { env, ruleFor: () => allow });
    const { run, sandbox } = await sandboxStage();
    const get = async () => (await run(`${ways.http} http://a.example.com/`, { sandbox: { ...sandbox, door } })).output;
    expect(door.entrance()).toBeUndefined();
    expect(await get()).toBe("hello from a.example.com");
    const entrance = door.entrance();
    const pid = Number(entrance && "argv" in entrance && entrance.argv[2]);
    process.kill(pid, "SIGKILL");
    await vi.waitFor(() => expect(door.entrance()).toBeUndefined(), 5_000);
    expect(await get()).toBe("hello from a.example.com");
    expect(door.traffic()).toHaveLength(2);
    const again = door.entrance();
    door.close();
    const last = Number(again && "argv" in again && again.argv[2]);
    await vi.waitFor(() => expect(isRunning(last)).toBe(false), 5_000);
  });
});
