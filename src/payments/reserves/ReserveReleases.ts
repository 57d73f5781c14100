/** Gives parts of the reserve back to the organisation once they are due, each once. */
import { Context, Effect, Layer, Option } from "effect"
import { LedgerAccount } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import { releaseBatch, releaseConcurrency, releasePoll } from "../../domain/policies/PaymentPolicies.ts"
import { minimumIn, openAmount, released } from "../../domain/Reserve.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { PaymentCommand } from "../settlement/PaymentCommand.ts"
import { organizationAccount, unallocatedOf } from "../store/PaymentPostings.ts"
import { heldInReserve } from "../store/PaymentReserve.ts"
import { PaymentStore } from "../store/PaymentStore.ts"
import { type DueRelease, ReserveStore } from "./ReserveStore.ts"

const make = Effect.gen(function* () {
  const reserves = yield* ReserveStore
  const store = yield* PaymentStore
  const command = yield* PaymentCommand
  const organizations = yield* Organizations
  const ledger = yield* Ledger
  const { atomically } = yield* Transactor

  /** Whether the reserve keeps its minimum without this amount. Other releases of the organisation wait meanwhile. */
  const keepsMinimum = Effect.fnUntraced(function* ({ org_id }: DueRelease["payment"], amount: Money) {
    const organization = yield* organizations.find(org_id)
    const minimum = Option.match(organization, {
      onNone: () => 0n,
      onSome: (one) => minimumIn(one.reserves, amount.currency)
    })
    if (minimum === 0n) return true
    const balance = yield* ledger.lockedBalance(LedgerAccount.reserve(org_id, amount.currency))
    return balance.minor - amount.minor >= minimum
  })

  const release = Effect.fnUntraced(function* ({ payment, ...books }: DueRelease, now: Date) {
    const { reserve, target } = payment
    if (reserve === null) return
    const { minor: held } = heldInReserve(payment, books, organizationAccount(payment))
    const parts = released(reserve.parts, held, now)
    const taken = openAmount(reserve.parts) - held
    const rest = openAmount(parts) - taken
    const amount = new Money({ currency: target.currency, minor: held - (rest > 0n ? rest : 0n) })
    // A chargeback that nobody has decided on yet may need the money.
    const isDisputed = unallocatedOf(payment, books).some(({ money }) => money.isNegative)
    if (isDisputed || !(yield* keepsMinimum(payment, amount))) return yield* reserves.postpone(payment)
    yield* command.write(payment, {
      status: payment.status,
      patch: { reserve: { ...reserve, parts } },
      booksBefore: books,
      cause: "reserve released"
    })
  }, atomically)

  /** A payment that changed meanwhile, or that another instance was faster with, is looked at again by the next run. */
  const alone = (now: Date) => (due: DueRelease) =>
    release(due, now).pipe(
      Effect.catchTag("VersionConflict", () => Effect.void),
      Effect.catchAllCause((cause) => Effect.logError("A reserve was not released; it is tried again", cause)),
      Effect.annotateLogs({ payment_id: due.payment.payment_id })
    )

  const runOnce = Effect.gen(function* () {
    const due = yield* reserves.due(releaseBatch)
    if (due.length > 0) {
      yield* Effect.forEach(due, alone(yield* store.now), { concurrency: releaseConcurrency, discard: true })
    }
    return due.length
  })

  return {
    /** Releases what is due; answers with how many payments were looked at. */
    runOnce,
    worker: Effect.forever(
      Effect.flatMap(runOnce, (looked) => (looked < releaseBatch ? Effect.sleep(releasePoll) : Effect.yieldNow()))
    ) as Stored<never>
  }
})

export class ReserveReleases extends Context.Tag("corridor/ReserveReleases")<
  ReserveReleases,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.effect(ReserveReleases, make)
}
