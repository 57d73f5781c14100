/** A report that names several transfers of one return, by the rules alone. */
import { expect, it } from "@effect/vitest"
import { movement, openBooks, payout, report, shillings } from "../support/SettlementRules.ts"

const disputesOf = (opened: ReturnType<typeof openBooks>) =>
  opened.events().flatMap(({ payload }) => {
    const { data } = JSON.parse(payload) as { readonly data: { readonly dispute?: unknown } }
    return data.dispute === undefined ? [] : [data.dispute]
  })

it("a payout that returns in two transfers of one report is sent with the sum of both", () => {
  const opened = openBooks(1500, payout)
  opened.record(report("completed", movement("disbursement", "d1", shillings(1500))))
  const parts = [movement("reinstatement", "r1", shillings(700)), movement("reinstatement", "r2", shillings(800))]
  opened.record(report("returned", ...parts))
  expect(opened.payment().status).toBe("refunded")
  expect(disputesOf(opened)).toEqual([{ kind: "returned", amount: 1500, currency: "KES" }])
})
