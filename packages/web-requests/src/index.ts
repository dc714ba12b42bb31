export { allowVariable } from "./allow-list.ts";
export { checkHops } from "./check-hops.ts";
export { decodeText } from "./decode-text.ts";
export { defaultLimits, type Limits } from "./limits.ts";
export { type HostPlace, isLoopback, type Surroundings, surroundings } from "./nearness.ts";
export { isPrivateName } from "./private-names.ts";
export { type Hop, sendRequest, type WebRequest, type WebResponse } from "./send-request.ts";
export { WebError, type WebErrorCode, type WebErrorDetails } from "./web-error.ts";
export { hostOf, maxUrlBytes, readWebUrl } from "./web-url.ts";
