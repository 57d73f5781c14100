/** A person who waits sees that something is done, and a script sees nothing of it. */
import { Effect, Fiber, TestClock, TestContext } from "effect"
import { expect, it } from "vitest"
import { Streams, showElapsed } from "../../src/cli/shared/Terminal.ts"

const written = async (watched: boolean) => {
  let text = ""
  const streams = { out: () => {}, err: (more: string) => void (text += more), watched }
  const run = Effect.gen(function* () {
    const fiber = yield* Effect.fork(showElapsed("Checking the books")(Effect.as(Effect.sleep("2500 millis"), "done")))
    yield* TestClock.adjust("500 millis")
    expect(text).toBe("")
    yield* TestClock.adjust("2 seconds")
    return yield* Fiber.join(fiber)
  }).pipe(Effect.provideService(Streams, streams), Effect.provide(TestContext.TestContext))
  expect(await Effect.runPromise(run)).toBe("done")
  return text
}

it("says after a second what it is at, and wipes that when it is done", async () => {
  const text = await written(true)
  expect(text).toContain("Checking the books, 2 s")
  expect(text).toMatch(/\r.\[K$/)
})

it("writes nothing where nobody watches", async () => expect(await written(false)).toBe(""))
