/** Automatic retries and paged lists of the console. */
import { describe, expect, it } from "vitest"
import { isRepeatable, secondsToRetry } from "../../../src/client/RequestRules.ts"
import { answeredStatus, type Cursor, LONGEST_WAIT, readAllPages } from "../../../src/console/api/ApiResponse.ts"

describe("automatic retries", () => {
  it.each([
    ["GET", false, 503, "3", 3],
    ["PUT", false, 503, "3", 3],
    ["DELETE", false, 503, "3", 3],
    // With its key the same payment is not sent twice.
    ["POST", true, 503, "3", 3],
    // A 503 may have had an effect: rotating a secret twice would break receivers.
    ["POST", false, 503, "3", undefined],
    ["PATCH", false, 503, "3", undefined],
    ["POST", false, 429, "1", 1],
    ["POST", false, 429, "3600", undefined],
    ["GET", false, 503, "6", undefined],
    ["GET", false, 503, undefined, 0],
    ["GET", false, 500, "3", undefined],
    // The first request with this key is still running.
    ["POST", true, 409, "1", 1],
    ["POST", true, 409, undefined, undefined]
  ] as const)(
    "a %s (keyed: %s) answered %i with Retry-After %s is sent again after %s",
    (method, keyed, status, after, wait) =>
      expect(secondsToRetry(status, after, isRepeatable(method, keyed), LONGEST_WAIT)).toBe(wait)
  )
})

describe("the status of an error", () => {
  // A form keeps its idempotency key unless the service itself has refused: the next attempt must not pay again.
  it.each([
    [502, { status: "error", message: "All providers declined." }, 502],
    [503, { status: "error", message: "Too busy." }, 503],
    [502, undefined, 0],
    [502, { message: "Bad Gateway" }, 0],
    [504, undefined, 0],
    [403, undefined, 403],
    [0, undefined, 0]
  ])("%i with the body %j is shown as %i", (status, body, shown) =>
    expect(answeredStatus({ status, body })).toBe(shown)
  )
})

describe("paged lists", () => {
  /** Pages of two, and how many were asked for. */
  const listOf = (...items: ReadonlyArray<string>) => {
    const asked: Array<string | undefined> = []
    const ask = async ({ last_evaluated_key }: Cursor) => {
      asked.push(last_evaluated_key)
      const start = Number(last_evaluated_key ?? 0)
      const more = start + 2 < items.length
      return { data: items.slice(start, start + 2), last_evaluated_key: more ? String(start + 2) : null }
    }
    return { ask, asked }
  }

  it("reads a list to its end", async () => {
    const { ask, asked } = listOf("a", "b", "c", "d", "e")
    expect(await readAllPages(ask)).toEqual(["a", "b", "c", "d", "e"])
    expect(asked).toEqual([undefined, "2", "4"])
  })

  it("asks once for what has one page, and for what has nothing", async () => {
    for (const items of [["a", "b"], []]) {
      const { ask, asked } = listOf(...items)
      expect(await readAllPages(ask)).toEqual(items)
      expect(asked).toEqual([undefined])
    }
  })

  it("stops where there is enough", async () => {
    const { ask, asked } = listOf("a", "b", "c", "d", "e")
    expect(await readAllPages(ask, (items) => items.includes("c"))).toEqual(["a", "b", "c", "d"])
    expect(asked).toEqual([undefined, "2"])
  })
})
