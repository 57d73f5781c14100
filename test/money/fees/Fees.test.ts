/** `corridor fees` over the service, and its parsing of options. */
import { expect } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import type { OrgId } from "../../../src/domain/Ids.ts"
import { EventPublisher } from "../../../src/webhooks/EventPublisher.ts"
import { AuditLog } from "../../../src/platform/audit/AuditLog.ts"
import { listFees } from "../../../src/cli/actions/MoneyActions.ts"
import { clientOf } from "../../../src/cli/client/InProcessClient.ts"
import { setOne, wantedFee } from "../../../src/cli/database/LocalMoney.ts"
import { FeesApi } from "../../../src/contract/api/FeesApi.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { stringifyWire } from "../../../src/domain/Decimal.ts"
import { Fees, feesHandlers } from "../../../src/money/fees/Fees.ts"
import { Organizations } from "../../../src/people/organizations/Organizations.ts"
import { newOrganization } from "../../support/StoreFixtures.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { nilId } from "../../support/AnyId.ts"

const services = Effect.provide(
  Fees.layer.pipe(
    Layer.provideMerge(Organizations.layer),
    Layer.provide(EventPublisher.layer),
    Layer.provideMerge(AuditLog.layer),
    Layer.provide(testSettings())
  )
)

interface Typed {
  readonly method?: string
  readonly direction?: string
  readonly bps?: string
  readonly fixed?: string
  readonly currency?: string
}

const typed = ({ bps, currency, direction = "inbound", fixed, method = "card" }: Typed) =>
  wantedFee({
    method,
    direction,
    bps: Option.fromNullable(bps),
    fixed: Option.fromNullable(fixed),
    currency: Option.fromNullable(currency)
  })

const setFee = (org: string, options: Typed) =>
  Effect.flatMap(typed(options), ({ subject, terms }) => setOne(org, subject, terms))

const listAll = (org: Option.Option<string>) =>
  Effect.provide(listFees({ org, json: false }), clientOf({ fees: [FeesApi, feesHandlers] }))

const audited = (org_id: OrgId) =>
  Effect.gen(function* () {
    const log = yield* AuditLog
    const permit = operatorPermit("audit", "olga", Option.some(org_id))
    const rows = yield* log.list(permit, { action: "fee_rule.set" }, { after: Option.none(), take: 100 })
    return rows.map(({ actor_type, detail, subject_id, subject_type }) => {
      expect([actor_type, subject_type]).toEqual(["operator", "fee_rule"])
      return { detail, subject_id }
    })
  })

onBothStores("Fees", (it) => {
  it.effect("are set as a whole, removed by nothing, and each change is on record", () =>
    Effect.gen(function* () {
      const { org_id } = yield* newOrganization()
      const first = yield* setFee(org_id, { bps: "150", fixed: "10.5", currency: "KES" })
      expect(first.text).toBe("inbound card payments: 150 basis points plus 10.50 KES (before: no fee).")
      expect(stringifyWire(first.data)).toContain('"fixed_amount":10.50,"fixed_currency":"KES"')
      expect(first.data).toMatchObject({ rule: { org_id, payment_method: "card", basis_points: 150 }, previous: null })
      const second = yield* setFee(org_id, { bps: "25" })
      expect(second.text).toBe("inbound card payments: 25 basis points (before: 150 basis points plus 10.50 KES).")
      expect(second.data.rule).toMatchObject({ basis_points: 25, fixed_amount: null, fixed_currency: null })
      expect(second.data.previous).toMatchObject({ basis_points: 150, fixed_currency: "KES" })
      const last = yield* setFee(org_id, { bps: "0", fixed: "0" })
      expect(last.text).toBe("inbound card payments: no fee (before: 25 basis points).")
      expect(last.data.rule).toBeNull()
      expect((yield* listAll(Option.some(org_id))).data).toEqual([])

      const about = { payment_method: "card", direction: "inbound" }
      const started = { basis_points: 150, fixed_amount: "10.50", fixed_currency: "KES" }
      const changed = { basis_points: 25, fixed_amount: null, fixed_currency: null }
      const subject_id = first.data.rule?.fee_rule_id
      const rows = yield* audited(org_id)
      expect(rows).toHaveLength(3)
      for (const [old, now] of [
        [null, started],
        [started, changed],
        [changed, null]
      ]) {
        expect(rows).toContainEqual({ subject_id, detail: { ...about, old, new: now } })
      }

      const again = yield* setFee(org_id, { bps: "0" })
      expect(again.text).toBe("inbound card payments: no fee (before: no fee).")
      expect(yield* audited(org_id)).toEqual(rows)
    }).pipe(services)
  )

  it.effect("are listed for one organisation or all", () =>
    Effect.gen(function* () {
      const [mine, theirs] = yield* Effect.all([newOrganization(), newOrganization()])
      yield* setFee(mine.org_id, { fixed: "100", currency: "UGX", direction: "outbound", method: "mobile_money" })
      yield* setFee(theirs.org_id, { bps: "10000" })
      const own = yield* listAll(Option.some(mine.org_id.toUpperCase()))
      expect(own.data).toMatchObject([{ org_id: mine.org_id, basis_points: 0, fixed_currency: "UGX" }])
      expect(stringifyWire(own.data)).toContain('"fixed_amount":100.0,')
      expect(own.text).toMatch(
        new RegExp(`^ORGANISATION +METHOD .*\n${mine.org_id} +mobile_money +outbound +0 +100 UGX +\\d{4}-.*Z$`)
      )
      const all = (yield* listAll(Option.none())).data.map(({ org_id }) => org_id)
      expect(all).toEqual(expect.arrayContaining([mine.org_id, theirs.org_id]))
      const { org_id } = yield* newOrganization()
      expect((yield* listAll(Option.some(org_id))).text).toBe('No fees here: "corridor fees set" sets one.')
    }).pipe(services)
  )

  it.effect("are refused for ramps, none of whose money is the organisation's; an old rule can still be removed", () =>
    Effect.gen(function* () {
      const { org_id } = yield* newOrganization()
      const ramps = { method: "crypto", direction: "external" }
      expect((yield* Effect.flip(setFee(org_id, { ...ramps, bps: "100" }))).message).toMatch(/^direction: /)
      expect((yield* Effect.flip(setFee(org_id, { ...ramps, fixed: "1", currency: "KES" }))).message).toMatch(
        /^direction: /
      )
      expect(yield* audited(org_id)).toEqual([])
      expect((yield* setFee(org_id, { ...ramps, bps: "0" })).text).toMatch(/no fee/)
    }).pipe(services)
  )

  it.effect("are for organisations that exist", () =>
    Effect.gen(function* () {
      const unknownOrg = /--org: there is no organisation with the id .* \("corridor orgs list" shows them\)/
      expect((yield* Effect.flip(setFee("none", { bps: "1" }))).message).toMatch(unknownOrg)
      expect((yield* Effect.flip(listAll(Option.some(nilId)))).message).toMatch(unknownOrg)
      const fees = yield* Fees
      const subject = { org_id: nilId, payment_method: "card", direction: "inbound" } as const
      const platform = operatorPermit("platform", "olga")
      const refused = yield* Effect.flip(fees.set(platform, subject, { basis_points: 1, fixed: null }))
      expect(refused._tag).toBe("NotFound")
    }).pipe(services)
  )
})
