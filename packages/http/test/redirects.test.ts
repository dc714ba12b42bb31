// Promise 3 of SECURITY.md.
import { expect, test } from "vitest";
import { redirectOf } from "../src/send-request.ts";
import { failureOf, get, httpServer, opening, rawServer } from "./servers.ts";

const follow = (from: string, to: string) => redirectOf(new URL(from), 302, to)?.href;

test.each([
  ["https://docs.rs/", "/regex", "https://docs.rs/regex"],
  ["https://docs.rs/a/b", "../c?d", "https://docs.rs/c?d"],
  ["http://docs.rs/", "https://docs.rs/", "https://docs.rs/"],
  ["http://docs.rs/", "https://docs.rs:443/", "https://docs.rs/"],
  ["https://docs.rs/", "https://www.docs.rs/", "https://www.docs.rs/"],
  ["http://www.docs.rs/", "https://docs.rs/", "https://docs.rs/"],
  ["https://docs.rs/", "//DOCS.rs/x#y", "https://docs.rs/x"],
  ["http://docs.rs:8080/", "https://docs.rs:8080/", "https://docs.rs:8080/"],
])("follows a redirect from %s to %s", (from, to, target) => {
  expect(follow(from, to)).toBe(target);
});

test.each([
  ["https://docs.rs/", "https://evil.example/docs.rs", "https://evil.example/docs.rs"],
  ["https://docs.rs/", "https://docs.rs.evil.example/", "https://docs.rs.evil.example/"],
  ["https://docs.rs/", "https://docs.rs:8443/", "https://docs.rs:8443/"],
  ["https://docs.rs/", "http://docs.rs/", "http://docs.rs/"],
  ["http://docs.rs/", "http://docs.rs:8080/", "http://docs.rs:8080/"],
  ["http://docs.rs:8080/", "https://docs.rs/", "https://docs.rs/"],
  ["https://docs.rs/", "https://www2.docs.rs/", "https://www2.docs.rs/"],
  ["https://docs.rs/", "//evil.example", "https://evil.example/"],
  ["https://docs.rs/", "\\\\evil.example", "https://evil.example/"],
  ["https://docs.rs/", "http://169.254.169.254/", "http://169.254.169.254/"],
])("does not follow a redirect from %s to %s, and names the location", async (from, to, location) => {
  const failed = await failureOf(Promise.resolve().then(() => follow(from, to)));
  expect(failed).toMatchObject({ code: "REDIRECT_TO_OTHER_HOST", details: { location } });
});

test.each(["file:///etc/passwd", "data:text/html,x", "https://user@docs.rs/", "http://[", `/${"a".repeat(2_048)}`])(
  "does not follow a redirect to %s",
  async (to) => {
    const failed = await failureOf(Promise.resolve().then(() => follow("https://docs.rs/", to)));
    expect(failed).toMatchObject({ code: "INVALID_URL", message: expect.stringMatching(/^docs\.rs redirects to/) });
  },
);

test("follows 5 redirects, and not 6", async () => {
  const server = await httpServer(({ url = "" }, response) => {
    const left = Number(url.slice(1));
    if (left === 0) response.end("end");
    else response.writeHead([301, 302, 303, 307, 308][left % 5] ?? 302, { location: `/${left - 1}` }).end();
  });
  expect((await get(`${server.origin}/5`, opening(server))).body.toString()).toBe("end");
  expect(server.requests).toHaveLength(6);
  expect(await failureOf(get(`${server.origin}/6`, opening(server)))).toMatchObject({ code: "TOO_MANY_REDIRECTS" });
  expect(server.requests).toHaveLength(12);
});

test("stops a redirect to itself", async () => {
  const server = await httpServer((_, response) => response.writeHead(302, { location: "/" }).end());
  expect(await failureOf(get(server.origin, opening(server)))).toMatchObject({ code: "TOO_MANY_REDIRECTS" });
  expect(server.requests).toHaveLength(6);
});

test("takes a redirect for a response if the caller wants that, or it leads nowhere", async () => {
  const server = await httpServer(({ url }, response) =>
    response.writeHead(url === "/300" ? 300 : 302, url === "/none" ? {} : { location: "/x" }).end("body"),
  );
  expect((await get(server.origin, opening(server), { followsRedirects: false })).status).toBe(302);
  expect((await get(`${server.origin}/none`, opening(server))).status).toBe(302);
  expect((await get(`${server.origin}/300`, opening(server))).status).toBe(300);
  expect(server.requests).toHaveLength(3);
});

test("reads a location as UTF-8, as browsers do, and as bytes if it is not that", async () => {
  const located = async (location: Buffer) => {
    const server = await rawServer((socket) =>
      socket.end(Buffer.concat([Buffer.from("HTTP/1.1 302 Found\r\nlocation: "), location, Buffer.from("\r\n\r\n")])),
    );
    return failureOf(get(server.origin, opening(server)));
  };
  expect((await located(Buffer.from("http://evil.example/é"))).details).toMatchObject({
    location: "http://evil.example/%C3%A9",
  });
  expect((await located(Buffer.from("http://evil.example/é", "latin1"))).details).toMatchObject({
    location: "http://evil.example/%C3%A9",
  });
  const { code, message } = await located(Buffer.from(`http://[\u202e\u009b31m${"x".repeat(1_000)}`));
  expect([code, message]).toEqual(["INVALID_URL", expect.stringContaining('"http://[\\u202e\\u009b31mxxx')]);
  expect(message.length).toBeLessThan(400);
});
