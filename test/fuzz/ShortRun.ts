/** A run of the fuzzer inside the tests: a server on PostgreSQL with its workers, and one seed. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { startWorkers } from "../../src/app/BackgroundWorkers.ts"
import { TestServer } from "../support/TestServer.ts"
import { fuzzedSettings } from "./OwnServer.ts"
import { run } from "./Run.ts"

/** Answers of every operation by status; no request may fail the judge, and no error may be logged. */
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
