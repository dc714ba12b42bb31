import { expect, test } from "vitest";
import { WebError } from "../src/errors.ts";
import { exchange } from "../src/exchange.ts";
import { httpServer } from "./servers.ts";

/** Requests a page of this computer, whose address is taken for one of another. */
async function ask(mayBeOwn: boolean) {
  const server = await httpServer((_, response) => response.end("own"));
  const admission = {
    usable: <Found>(found: readonly Found[]) => [...found],
    isInside: () => false,
    mayBeOwn: () => mayBeOwn,
    blocked: () => new WebError("BLOCKED_ADDRESS", "It is this computer."),
  };
  const wanted = { url: new URL(server.origin), method: "GET", headers: {}, body: undefined, proxy: undefined };
  const asked = exchange({ ...wanted, admission, signal: AbortSignal.timeout(10_000) });
  return { asked, requests: server.requests };
}

test("a connection from this computer to itself is closed before the request, unless the address is opened", async () => {
  const refused = await ask(false);
  await expect(refused.asked).rejects.toMatchObject({ code: "BLOCKED_ADDRESS" });
  expect(refused.requests).toEqual([]);
  const allowed = await ask(true);
  expect((await allowed.asked).response.statusCode).toBe(200);
});
