import { expect, test } from "vitest";
import { ProxyError, proxyAnswer, proxyFault, proxyFor } from "../src/index.ts";

const proxy = new URL("http://proxy.test:8080");
const url = new URL("http://host.test/page");
const failed = (code: string) => Object.assign(new Error(code), { code });

test.each([
  ["ECONNREFUSED", "Cannot reach the proxy proxy.test:8080: ECONNREFUSED."],
  ["EPERM", "Cannot reach the proxy proxy.test:8080: EPERM."],
  ["HPE_INVALID_CONSTANT", "Cannot reach the proxy proxy.test:8080: HPE_INVALID_CONSTANT."],
  ["ECONNRESET", "The proxy proxy.test:8080 closed the connection (ECONNRESET)."],
])("%s of a request for http is the proxy's, and stays its cause", (code, text) => {
  const error = failed(code);
  const fault = proxyFault(error, url, proxy);
  expect(fault).toBeInstanceOf(ProxyError);
  expect(fault).toMatchObject({ message: expect.stringContaining(text), cause: error });
});

test.each([
  ["headers that are too long", failed("HPE_HEADER_OVERFLOW"), url, proxy],
  ["this process's lack of descriptors", failed("EMFILE"), url, proxy],
  ["a bug", new TypeError("x is undefined"), url, proxy],
  ["a request for https, whose tunnel reports the proxy's errors", failed("ECONNRESET"), new URL("https://h"), proxy],
  ["a request without a proxy", failed("ECONNREFUSED"), url, undefined],
])("an error is not the proxy's: %s", (_, error, target, through) => {
  expect(proxyFault(error, target, through)).toBe(error);
});

test.each([
  [403, {}, true],
  [502, { "content-type": "text/html" }, true],
  [407, {}, true],
  [401, {}, false],
  [403, { "content-type": "application/json" }, false],
  [403, { "www-authenticate": 'Bearer error="insufficient_scope"' }, false],
])("a response %d with %j may be the proxy's: %s", (statusCode, headers, isProxys) => {
  expect(proxyAnswer(url, proxy, { statusCode, headers }) instanceof ProxyError).toBe(isProxys);
});

test.each([
  ["10.0.0.0/8", "http://10.1.2.3", true],
  ["10.0.0.0/8", "http://11.1.2.3", false],
  ["10.0.0.0/8", "http://10.example.com", false],
  ["10.0.0.0/33", "http://10.1.2.3", false],
  ["10.1.2.3", "http://10.1.2.3:8080", true],
  ["fd00::1", "http://[fd00::1]:8080", true],
  ["[fd00::1]", "http://[fd00::1]", true],
  ["fd00:0:0::1", "http://[fd00::1]", true],
  ["fd00::/8", "http://[fd12::1]", true],
  ["fd00::/8", "http://[fe80::1]", false],
  ["fd00::/8", "http://10.1.2.3", false],
])("with NO_PROXY=%s %s is requested directly: %s", (list, url, isDirect) => {
  const proxy = proxyFor(new URL(url), { HTTP_PROXY: "http://proxy:3128", NO_PROXY: list });
  expect(proxy === undefined).toBe(isDirect);
});
