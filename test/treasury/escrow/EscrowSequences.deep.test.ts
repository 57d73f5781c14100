/** Random requests to escrows in random order, on both stores: the books and the escrows agree to the cent. */
import { expect } from "@effect/vitest"
import { BigDecimal, Effect, Either, Option, Runtime } from "effect"
import fc from "fast-check"
import { VirtualAccountStore } from "../../../src/treasury/accounts/VirtualAccountStore.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { toPlainText } from "../../../src/domain/Decimal.ts"
import { LedgerAccount } from "../../../src/domain/Ledger.ts"
import { Escrows } from "../../../src/treasury/escrow/Escrows.ts"
import { IdempotencyStore } from "../../../src/platform/idempotency/IdempotencyStore.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { balance, fiatProvider, moved, problems } from "../../money/ledger/Entries.ts"
import { newMember, newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { backends } from "../../support/OnBothStores.ts"
import { onServer, type ServerServices } from "../../support/TestServer.ts"

const KES = CurrencyCode.make("KES")
const decimal = (cents: number) => BigDecimal.make(BigInt(cents), 2)
const text = (value: BigDecimal.BigDecimal) => `${toPlainText(BigDecimal.scale(value, 2))} KES`

const DEPOSIT = 60_000

const newEscrow = (milestones: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const escrows = yield* Escrows
    const accounts = yield* VirtualAccountStore
    const { org_id } = yield* newOrganization()
    const { user_id } = yield* newMember(org_id, "org-admin")
    const permit = operatorPermit("escrow", "olga", Option.some(org_id))
    const newAccount = Effect.map(
      Effect.flatMap(nextId, (account_id) =>
        accounts.insert({
          account_id,
          org_id,
          user_id,
          customer_id: null,
          currency: KES,
          virtual_account_name: "A",
          provider: null
        })
      ),
      ({ account_id }) => account_id
    )
    const [account_id, party] = [yield* newAccount, yield* newAccount]
    const own = LedgerAccount.virtual(account_id, KES)
    yield* moved(org_id, fiatProvider(), own, `${DEPOSIT / 100} KES`)
    const split = (name: string, value: string) => ({
      name,
      split_type: "percentage" as const,
      split_value: BigDecimal.unsafeFromString(value)
    })
    const made = yield* escrows.create(permit, {
      name: "Clinic",
      currency: KES,
      account_id,
      parties: [{ name: "Builder", account_id: party }, { name: "Surveyor" }],
      milestones: milestones.map((cents, sequence) => ({
        label: `${sequence}`,
        sequence,
        expected_disbursement: decimal(cents),
        parties: [split("Builder", "61.8"), split("Surveyor", "38.2")]
      }))
    })
    return { made, permit, org_id, own, party: LedgerAccount.virtual(party, KES) }
  })

type Step =
  | { readonly kind: "fund"; readonly cents: number }
  | { readonly kind: "disburse"; readonly at: number }
  | { readonly kind: "cancel" }

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("fund" as const), cents: fc.integer({ min: 1, max: 30_000 }) })
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("disburse" as const), at: fc.nat({ max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cancel" as const) }) }
)

const live = (milestones: ReadonlyArray<number>, asked: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const escrows = yield* Escrows
    const { made, own, party, permit } = yield* newEscrow(milestones)
    const id = made.escrow_id
    const take = (step: Step) => {
      switch (step.kind) {
        case "fund":
          return escrows.fund(permit, id, decimal(step.cents))
        case "disburse":
          return escrows.disburse(permit, {
            escrowId: id,
            milestoneId: made.milestones[step.at]?.milestone_id ?? id,
            description: null
          })
        case "cancel":
          return escrows.cancel(permit, id, null)
      }
    }
    const outcomes: Array<string> = []
    for (const step of asked) {
      const done = yield* Effect.either<unknown, { readonly _tag: string }, never>(take(step))
      outcomes.push(Either.isLeft(done) ? done.left._tag : "done")
      const now = yield* escrows.get(permit, id)
      const left = BigDecimal.subtract(now.funded_amount, now.disbursed_amount)
      expect(yield* balance(LedgerAccount.escrow(id, KES)), "what is left").toBe(text(left))
      const covered = BigDecimal.sumAll(now.milestones.map(({ covered_amount }) => covered_amount))
      expect(text(covered), "all that is funded covers something").toBe(text(now.funded_amount))
      const paid = now.parties.map((one) => one.balance)
      const accounts = yield* Effect.flatMap(LedgerStore, (ledger) => ledger.balances([own, party]))
      const everything = [...Array.from(accounts.values(), (amount) => amount.toDecimal()), ...paid, left]
      expect(text(BigDecimal.sumAll(everything)), "nothing is lost or made up").toBe(text(decimal(DEPOSIT)))
    }
    expect(yield* problems).toEqual([])
    return outcomes
  })

for (const backend of backends) {
  onServer("Lives of escrows", backend, {}, (it) => {
    it.effect("end exact, whatever was asked", () =>
      Effect.gen(function* () {
        const runtime = yield* Effect.runtime<ServerServices>()
        const seen = new Set<string>()
        const milestones = fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1, maxLength: 3 })
        const property = fc.asyncProperty(
          milestones,
          fc.array(steps, { minLength: 1, maxLength: 14 }),
          async (amounts, asked) => {
            const outcomes = await Runtime.runPromise(runtime)(live(amounts, asked))
            for (const outcome of outcomes) seen.add(outcome)
          }
        )
        yield* Effect.promise(() => fc.assert(property, { numRuns: backend === "memory" ? 60 : 15 }))
        expect(seen).toContain("done")
        expect(seen).toContain("Conflict")
      })
    )

    it.effect("keep the whole answer with the key, in the transaction that moved the money", () =>
      Effect.gen(function* () {
        const escrows = yield* Escrows
        const keys = yield* IdempotencyStore
        const { made, org_id, permit } = yield* newEscrow([1000])
        const key = (operation: string) => ({ org_id, operation, key: "k", body_digest: "d", claim: org_id })
        yield* escrows.fund(permit, made.escrow_id, decimal(1000), key("fund"))
        yield* escrows.disburse(permit, {
          escrowId: made.escrow_id,
          milestoneId: made.milestones[0]!.milestone_id,
          description: null,
          key: key("disburse")
        })
        const kept = (operation: string) =>
          Effect.map(keys.find({ org_id, operation, key: "k" }), (found) => {
            const { response, status } = Option.getOrThrow(found)
            expect(status).toBe(200)
            return JSON.parse(response ?? "") as object
          })
        expect(yield* kept("fund")).toMatchObject({ message: "Escrow funded", data: { funded_amount: 10 } })
        expect(yield* kept("disburse")).toMatchObject({ data: { status: "disbursed", disbursed_total: 10 } })
        const refused = yield* Effect.flip(escrows.fund(permit, made.escrow_id, decimal(1), key("again")))
        expect(refused._tag).toBe("Conflict")
        expect(yield* keys.find({ org_id, operation: "again", key: "k" }), "what failed claims no key").toEqual(
          Option.none()
        )
      })
    )
  })
}
