// Promise 3 of SECURITY.md.
import { createServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { call, tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { hasOpenssl, makeCertificates } from "./certificates.ts";
import { bin, homeVariables } from "./site.ts";

/** An https server. `fetch` calls the tool, which may reach it; `requests` has what arrived. */
async function secureSite(options: ServerOptions) {
  const requests: string[] = [];
  const server = createServer(options, ({ url = "" }, response) => {
    requests.push(url);
    response.writeHead(200, { "content-type": "text/plain" }).end("secret page");
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const home = await tempDir({ "tmp/": "" });
  const fetch = (env: Record<string, string>, host = "127.0.0.1") => {
    const variables = {
      ...homeVariables(home),
      NODE_EXTRA_CA_CERTS: undefined,
      IKIGAI_WEB_ALLOW: `${host}:${port}`,
      ...env,
    };
    return call(bin, { url: `https://${host}:${port}/` }, { env: variables });
  };
  return { fetch, requests };
}

const certificates = hasOpenssl ? await makeCertificates("web.test") : undefined;

test.runIf(certificates)("trusts the authority in NODE_EXTRA_CA_CERTS", async () => {
  const { authority = "", ...files } = certificates ?? {};
  const { fetch } = await secureSite(files);
  expect((await fetch({ NODE_EXTRA_CA_CERTS: authority })).result).toMatchObject({
    output: "secret page",
    status: 200,
  });
});

test.runIf(certificates).each([
  ["an unknown authority", {}, "127.0.0.1", /certificate/],
  [
    "an unknown authority, though the environment turns the check off",
    { NODE_TLS_REJECT_UNAUTHORIZED: "0" },
    "127.0.0.1",
    /certificate/,
  ],
  ["another name", { NODE_EXTRA_CA_CERTS: certificates?.authority ?? "" }, "localhost", /localhost/],
])("rejects a certificate of %s, and sends nothing", async (_, env, host, why) => {
  const { fetch, requests } = await secureSite(certificates ?? {});
  const { exitCode, result } = await fetch(env, host);
  expect([exitCode, result?.error_code, requests]).toEqual([0, "TLS_FAILED", []]);
  expect(result?.error).toMatch(why);
  expect(JSON.stringify(result?.help)).toContain("NODE_EXTRA_CA_CERTS");
});

test.runIf(hasOpenssl)("rejects an expired certificate", async () => {
  const { authority, ...files } = await makeCertificates("web.test", -1);
  const { fetch, requests } = await secureSite(files);
  const { result } = await fetch({ NODE_EXTRA_CA_CERTS: authority });
  expect([result?.error_code, requests]).toEqual(["TLS_FAILED", []]);
});
