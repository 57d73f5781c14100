/** Events as they happen: each once, also one that appears behind others that are younger. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import type { RequestParts } from "../../src/client/RequestRules.ts"
import { ApiClient } from "../../src/cli/shared/ApiClient.ts"
import { followEvents } from "../../src/cli/actions/LogActions.ts"

const START = Date.parse("2026-03-01T12:00:00.000Z")
const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString()

const event = (event_id: string, seconds: number) => ({ event_id, created_at: at(seconds) })

it("a late event is printed once, and no earlier event again", async () => {
  const there = [event("a", 0), event("b", 25), event("c", 50), event("d", 75), event("e", 100)]
  const printed: Array<string> = []
  const since = (from: string | undefined) => there.filter(({ created_at }) => from === undefined || created_at >= from)
  const calls = {
    root: "http://nowhere",
    send: (_group: string, _name: string, { urlParams }: RequestParts) =>
      Effect.sync(() => {
        const { from, limit } = urlParams as { readonly from?: string; readonly limit: number }
        return {
          data: since(from)
            .toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))
            .slice(0, limit)
        }
      })
  }
  let reads = 0
  // Its transaction took longer than that of a younger one.
  const begun = Effect.sync(() => void there.push(event("late", 72)))
  await followEvents(undefined, begun, (events) =>
    Effect.sync(() => {
      printed.push(...events.map(({ event_id }) => event_id))
      reads += 1
      if (reads === 3) there.push(event("f", 101))
      return reads < 5
    })
  ).pipe(Effect.provideService(ApiClient, calls), Effect.runPromise)
  expect(printed).toEqual(["late", "f"])
})
