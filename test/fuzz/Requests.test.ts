/** The short form of `npm run fuzz`: thousands of requests that the service's own document makes possible, or forbids. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { fuzzedSettings } from "./OwnServer.ts"
import { run } from "./Run.ts"
import { startWorkers } from "../../src/app/Workers.ts"
import { onDatabaseServer, TestServer } from "../support/TestServer.ts"

/** A token that comes by mail, and what only a provider can leave to be decided. */
const outOfReach = [
  "POST /organizations/invitations/{token}/accept",
  "POST /operations/payments/{payment_id}/resolve",
  "POST /operations/payments/{payment_id}/give-back",
  "POST /virtual-accounts/escrow/{escrow_id}/payouts/{payout_id}/retry",
  "POST /virtual-accounts/escrow/{escrow_id}/payouts/{payout_id}/resolve",
  "elsewhere"
]

onDatabaseServer(
  "Whatever is sent",
  (it) => {
    it.scoped("is answered as the document says, by every operation with a success at least once", () =>
      Effect.gen(function* () {
        const { baseUrl: url, credentials, logs } = yield* TestServer
        yield* startWorkers
        const { KYB_WEBHOOK_SECRET: kybSecret } = fuzzedSettings
        const { counts, failures } = yield* Effect.promise(() =>
          run({ url, credentials, kybSecret, seed: 1, requests: 1500 })
        )
        expect(failures).toEqual([])
        const silent = Array.from(counts).filter(
          ([, statuses]) => !Array.from(statuses.keys()).some((one) => one < 300)
        )
        expect(silent.map(([name]) => name).filter((name) => !outOfReach.includes(name))).toEqual([])
        expect(counts.size).toBeGreaterThan(80)
        expect(logs.filter(({ level }) => level === "Error" || level === "Fatal")).toEqual([])
      })
    )
  },
  fuzzedSettings
)
