import { RequestError } from "@agentclientprotocol/sdk";
import { IkigaiError } from "@ikigai/core/errors";
import { UsageError } from "../args/usage-error.ts";
import { reportBug } from "../render/failures.ts";

/** JSON-RPC's codes. */
const invalidRequest = -32_600;
const invalidParams = -32_602;
const internalError = -32_603;

/** The editor sent a value that cannot be used: a session, a directory, a mode. */
export function badParams(message: string): RequestError {
  return new RequestError(invalidParams, message);
}

/** The request is not possible now. */
export function badRequest(message: string): RequestError {
  return new RequestError(invalidRequest, message);
}

/** A failure with a code, for programs; the message is for people. */
export function failure(code: string, message: string): RequestError {
  return new RequestError(internalError, message, { code });
}

/** Runs a handler; expected failures become errors that the editor shows. */
export async function answering<Result>(handler: () => Promise<Result>): Promise<Result> {
  try {
    return await handler();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    if (error instanceof UsageError) throw badParams(error.message);
    if (error instanceof IkigaiError) throw failure(String(error.code), error.message);
    reportBug(error);
    throw error;
  }
}
