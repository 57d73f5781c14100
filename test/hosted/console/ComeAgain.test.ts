import { expect, it } from "vitest"
import { retryDelay } from "../../../src/console/api/ApiResponse.ts"

const answer = (status: number, after?: string) =>
  new Response(null, { status, headers: after === undefined ? {} : { "retry-after": after } })

it.each([
  ["GET", false, 503, "3", 3],
  ["PUT", false, 503, "3", 3],
  ["DELETE", false, 503, "3", 3],
  // With its key the same payment is not sent twice.
  ["POST", true, 503, "3", 3],
  // A 503 may be that nobody knows: a secret that is rotated twice leaves receivers without the one they have.
  ["POST", false, 503, "3", undefined],
  ["PATCH", false, 503, "3", undefined],
  ["POST", false, 429, "1", 1],
  ["POST", false, 429, "3600", undefined],
  ["GET", false, 503, undefined, undefined],
  ["GET", false, 500, "3", undefined],
  ["POST", true, 409, "1", undefined]
] as const)(
  "a %s (keyed: %s) answered %i with Retry-After %s is sent again after %s",
  (method, keyed, status, after, wait) => expect(retryDelay(answer(status, after), method, keyed)).toBe(wait)
)
