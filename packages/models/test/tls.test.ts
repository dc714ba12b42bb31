import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { type AddressInfo, createServer as createPlainServer } from "node:net";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { hear, modelOf, providers } from "../../agent/test/providers.ts";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

test.runIf(hasOpenssl).each(providers)("rejects an untrusted certificate, with $name", async (provider) => {
  const dir = await tempDir();
  const names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const made = ["-keyout", "key.pem", "-out", "cert.pem", "-days", "1"];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...made, ...names], {
    cwd: dir,
    stdio: "ignore",
  });
  let requests = 0;
  const server = createServer(
    { key: readFileSync(join(dir, "key.pem")), cert: readFileSync(join(dir, "cert.pem")) },
    (_, response) => {
      requests++;
      response.end();
    },
  );
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { error } = await hear(await modelOf(provider, `https://127.0.0.1:${port}`));
  expect([error?.code, error?.retryable]).toEqual(["network", false]);
  expect(error?.message).toMatch(
    new RegExp(`^Rejected the certificate of 127\\.0\\.0\\.1:${port}: .*self.signed.*set NODE_EXTRA_CA_CERTS to`),
  );
  // Not even the request is sent, so neither is the key.
  expect(requests).toBe(0);
});

test("names a server without TLS, and the likely cause", async () => {
  const server = createPlainServer(
    (socket) => void socket.on("error", () => {}).end("HTTP/1.1 400 Bad Request\r\n\r\n"),
  );
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { error } = await hear(await modelOf(providers[0], `https://127.0.0.1:${port}`));
  expect(error?.message).toContain("http://");
});
