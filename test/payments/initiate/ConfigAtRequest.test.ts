/**
 * Settings, fees and corridors of a payment are those of the moment of its request, though they are cached. A change by
 * any instance or by SQL counts for the next payment.
 */
import { expect } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, Option } from "effect"
import { authorize } from "../../../src/domain/Access.ts"
import { hashApiKey } from "../../../src/domain/ApiKeyFormat.ts"
import { BeneficiaryId } from "../../../src/domain/Ids.ts"
import { CallerStore } from "../../../src/people/auth/CallerStore.ts"
import { Escrows } from "../../../src/treasury/escrow/Escrows.ts"
import { type Cast, people } from "../../support/TestCredentials.ts"
import { newBeneficiary } from "../../treasury/accounts/AccountFixtures.ts"
import { disburse, escrowOf, fund, newEscrow } from "../../treasury/escrow/EscrowFixtures.ts"
import { setThreshold } from "../support/ActionCalls.ts"
import { initiate, recordOf } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer } from "../support/PaymentServer.ts"
import { byPhone } from "../support/Requests.ts"

const callerOf = ({ key }: Cast) =>
  Effect.gen(function* () {
    const store = yield* CallerStore
    return Option.getOrThrow(yield* store.byApiKey(hashApiKey(key["x-api-key"]), "test"))
  })

const termsOf = (cast: Cast) => Effect.map(callerOf(cast), ({ organization }) => Option.getOrThrow(organization).terms)

const run = (statement: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>) =>
  Effect.orDie(Effect.flatMap(Effect.serviceOptional(SqlClient.SqlClient), statement))

/** Writes as an operator would with `psql`, without versions. */
const chargePercent = ({ org_id }: Cast, percent: number, method = "mobile_money", direction = "inbound") =>
  run(
    (sql) => sql`insert into fee_rules (fee_rule_id, org_id, payment_method, direction, basis_points)
      values (gen_random_uuid(), ${org_id}, ${method}, ${direction}, ${percent * 100})
      on conflict (org_id, payment_method, direction) do update set basis_points = excluded.basis_points`
  )

const chargeNothing = ({ org_id }: Cast) => run((sql) => sql`delete from fee_rules where org_id = ${org_id}`)

const serve = (isActive: boolean) =>
  run(
    (sql) => sql`update provider_configs set is_active = ${isActive}
      where country = 'KE' and payment_method = 'mobile_money' and direction = 'inbound' and org_id is null`
  )

const ownConfig = ({ org_id }: Cast) =>
  run(
    (
      sql
    ) => sql`insert into provider_configs (config_id, provider, country, payment_method, direction, org_id, priority)
      values (gen_random_uuid(), 'fiat', 'RW', 'mobile_money', 'outbound', ${org_id}, 1)`
  )

const startOfServer = Effect.orDie(
  Effect.flatMap(
    Effect.serviceOptional(SqlClient.SqlClient),
    (sql) => sql<{ readonly at: string }>`select extract(epoch from pg_postmaster_start_time())::text as at`
  )
)

const feeOfNext = Effect.gen(function* () {
  const { payment_id, status } = yield* initiate(byPhone())
  return status === 200 ? (yield* recordOf(payment_id))["total_fees"] : status
})

onDatabasePaymentServer(
  "The terms of payments",
  () => ({}),
  (it) => {
    it.effect("have another version after each change of theirs, for whom it concerns, and after nothing else", () =>
      Effect.gen(function* () {
        const { acme, globex } = yield* people
        const versions = Effect.all([termsOf(acme), termsOf(globex)])
        const changedFor = (change: Effect.Effect<unknown>) =>
          Effect.gen(function* () {
            const before = yield* versions
            yield* change
            const after = yield* versions
            return after.map((version, at) => version !== before[at])
          })
        const alone = [true, false]
        const both = [true, true]
        const neither = [false, false]
        expect(yield* changedFor(setThreshold(acme.org_id, "1000000"))).toEqual(alone)
        expect(yield* changedFor(chargePercent(acme, 2))).toEqual(alone)
        expect(yield* changedFor(chargePercent(acme, 3))).toEqual(alone)
        expect(yield* changedFor(chargeNothing(acme))).toEqual(alone)
        expect(yield* changedFor(ownConfig(acme))).toEqual(alone)
        expect(
          yield* changedFor(run((sql) => sql`update provider_configs set org_id = null where org_id = ${acme.org_id}`)),
          "given to everyone"
        ).toEqual(both)
        expect(yield* changedFor(serve(false))).toEqual(both)
        expect(yield* changedFor(serve(true))).toEqual(both)
        const account = run(
          (sql) => sql`insert into provider_accounts (config_id, provider, sealed)
          select config_id, provider, 'sealed' from provider_configs where country = 'RW' limit 1`
        )
        expect(yield* changedFor(account)).toEqual(both)
        expect(yield* changedFor(run((sql) => sql`delete from provider_accounts where sealed = 'sealed'`))).toEqual(
          both
        )
        yield* initiate(byPhone())
        expect(yield* changedFor(Effect.void)).toEqual(neither)
        const taken = run((sql) => sql`update payments set description = 'x' where org_id = ${acme.org_id}`)
        expect(yield* changedFor(taken)).toEqual(neither)
        const undone = run((sql) =>
          Effect.ignore(
            sql.withTransaction(
              Effect.zipRight(
                sql`update organizations set spread_bps = 77 where org_id = ${acme.org_id}`,
                Effect.fail("thought better of it")
              )
            )
          )
        )
        expect(yield* changedFor(undone)).toEqual(neither)
      })
    )

    it.effect("are those of one server: what another one remembers by the same version may be later", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const [began] = yield* startOfServer
        expect(yield* termsOf(acme)).toMatch(new RegExp(`^${began?.at.replace(".", "\\.")} `))
      })
    )

    it.effect("are those that were there when the request came", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        yield* setThreshold(acme.org_id, null)
        const seen: Array<unknown> = []
        const next = Effect.flatMap(feeOfNext, (fee) => Effect.sync(() => seen.push(fee)))
        yield* next
        yield* next
        yield* chargePercent(acme, 2)
        yield* next
        yield* next
        yield* serve(false)
        yield* next
        yield* chargePercent(acme, 4)
        yield* serve(true)
        yield* next
        yield* chargeNothing(acme)
        yield* next
        expect(seen).toEqual([null, null, 30, 30, 422, 60, null])
      })
    )

    it.effect("hold a payment for review from the first one on after the threshold was set", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const statuses: Array<unknown> = []
        const next = Effect.gen(function* () {
          const { payment_id } = yield* initiate(byPhone())
          statuses.push((yield* recordOf(payment_id))["status"] === "initiated")
        })
        yield* next
        yield* setThreshold(acme.org_id, "10")
        yield* next
        yield* setThreshold(acme.org_id, null)
        yield* next
        expect(statuses).toEqual([false, true, false])
      })
    )

    it.effect("are the same for how much a party is paid and for what that costs", () =>
      Effect.gen(function* () {
        const { acme } = yield* people
        const beneficiaryId = BeneficiaryId.make(yield* newBeneficiary(acme.key))
        const escrows = yield* Escrows
        const whole = [{ name: "Builder", split_type: "percentage", split_value: 100 }]
        const ofOne = {
          parties: [{ name: "Builder" }],
          milestones: [{ label: "All", sequence: 1, expected_disbursement: 100, parties: whole }]
        }
        const made = Effect.gen(function* () {
          const escrow = yield* newEscrow(100, ofOne)
          yield* fund(acme.key, escrow, 100)
          yield* disburse(acme.key, escrow, 0)
          return escrow
        })
        const [first, second] = yield* Effect.all([made, made])
        const permit = yield* authorize(yield* callerOf(acme), "escrow", Option.none())
        const payOut = (escrow: typeof first) =>
          escrows.payOut(permit, { escrowId: escrow.escrow_id, partyId: escrow.parties[0]!.party_id, beneficiaryId })
        yield* payOut(first)
        yield* chargePercent(acme, 3, "bank_transfer", "outbound")
        yield* payOut(second)
        expect((yield* escrowOf(acme.key, second)).parties).toMatchObject([{ balance: 0 }])
        yield* chargeNothing(acme)
      })
    )
  }
)
