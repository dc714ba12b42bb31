// Requests to web servers, as their client sees them: which hosts may be reached, through which proxy, with which limits.

export { allowVariable, certainRefusal } from "./address-policy.ts";
export { type HostPlace, isLoopback, isPrivateName, type Surroundings, surroundings } from "./addresses.ts";
export { ProxyError, WebError, type WebErrorCode, type WebErrorDetails } from "./errors.ts";
export { defaultLimits, type Limits } from "./exchange.ts";
export { proxyAnswer, proxyFault, proxyFor, proxyVariable } from "./proxy.ts";
export { checkHops, decodeText, type Hop, sendRequest, type WebRequest, type WebResponse } from "./send-request.ts";
export { hostOf, hostText, maxUrlBytes, readWebUrl } from "./web-url.ts";
