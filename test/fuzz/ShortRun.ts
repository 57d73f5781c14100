/** A fuzz run inside the tests, on PostgreSQL with workers. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { startWorkers } from "../../src/app/BackgroundWorkers.ts"
import { TestServer } from "../support/TestServer.ts"
import { fuzzedSettings } from "./OwnServer.ts"
import { run } from "./FuzzRun.ts"

/** Returns the statuses of every operation; a failed check or logged error fails the test. */
export const shortRun = (requests: number) =>
  Effect.gen(function* () {
    const { baseUrl: url, credentials, logs } = yield* TestServer
    yield* startWorkers
    const { KYB_WEBHOOK_SECRET: kybSecret } = fuzzedSettings
    const { counts, failures } = yield* Effect.promise(() => run({ url, credentials, kybSecret, seed: 1, requests }))
    expect(failures).toEqual([])
    expect(logs.filter(({ level }) => level === "Error" || level === "Fatal")).toEqual([])
    return counts
  })
