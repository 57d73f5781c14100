/** 1,500 fuzzed requests: every operation succeeds at least once. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { onDatabaseServer } from "../support/TestServer.ts"
import { fuzzedSettings } from "./OwnServer.ts"
import { shortRun } from "./ShortRun.ts"

/** Operations that need a token from a mail, an outcome that only a provider can leave unknown, or a pending application. */
const outOfReach = [
  "POST /organizations/invitations/{token}/accept",
  "POST /operations/payments/{payment_id}/resolve",
  "POST /operations/payments/{payment_id}/give-back",
  "POST /operations/incoming-transfers/{transfer_id}/resolve",
  "POST /virtual-accounts/escrow/{escrow_id}/payouts/{payout_id}/retry",
  "POST /virtual-accounts/escrow/{escrow_id}/payouts/{payout_id}/resolve",
  "POST /kyb/applications/{kyb_customer_id}/reject",
  "elsewhere"
]

onDatabaseServer(
  "A fuzzed request",
  (it) => {
    it.scoped("is answered as the document says, and every operation succeeds once", () =>
      Effect.map(shortRun(1500), (counts) => {
        const silent = Array.from(counts).filter(
          ([, statuses]) => !Array.from(statuses.keys()).some((one) => one < 300)
        )
        expect(silent.map(([name]) => name).filter((name) => !outOfReach.includes(name))).toEqual([])
      })
    )
  },
  fuzzedSettings
)
