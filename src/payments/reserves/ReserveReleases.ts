/** Gives parts of the reserve back to the organisation once they are due, each once. */
import { Context, Data, Effect, Layer, Option } from "effect"
import { LedgerAccount } from "../../domain/Ledger.ts"
import { releaseBatch, releaseConcurrency, releasePoll } from "../../domain/policies/PaymentPolicies.ts"
import { minimumIn, released } from "../../domain/Reserve.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { PaymentCommand } from "../settlement/PaymentCommand.ts"
import { organizationAccount, unallocatedOf } from "../store/PaymentPostings.ts"
import { heldInReserve } from "../store/PaymentReserve.ts"
import type { Payment } from "../store/Payment.ts"
import { PaymentStore } from "../store/PaymentStore.ts"
import { type DueRelease, ReserveStore } from "./ReserveStore.ts"

/** A release would leave less than the minimum in the reserve. */
class BelowMinimum extends Data.TaggedError("BelowMinimum") {}

const make = Effect.gen(function* () {
  const reserves = yield* ReserveStore
  const store = yield* PaymentStore
  const command = yield* PaymentCommand
  const organizations = yield* Organizations
  const ledger = yield* Ledger
  const { atomically } = yield* Transactor

  const minimumOf = ({ org_id, target }: Payment) =>
    Effect.map(organizations.find(org_id), (found) =>
      Option.isNone(found) ? 0n : minimumIn(found.value.reserves, target.currency)
    )

  const release = Effect.fnUntraced(function* ({ payment, ...books }: DueRelease, now: Date) {
    const { org_id, reserve, target } = payment
    if (reserve === null) return
    const side = organizationAccount(payment)
    const held = heldInReserve(payment, books, side)
    const after = { ...reserve, parts: released(reserve.parts, held.minor, now) }
    const isLess = heldInReserve({ ...payment, reserve: after }, books, side).minor < held.minor
    // A chargeback that nobody has decided on yet may need the money.
    if (unallocatedOf(payment, books).some(({ money }) => money.isNegative)) return yield* reserves.postpone(payment)
    const minimum = isLess ? yield* minimumOf(payment) : 0n
    const patch = { reserve: after }
    const written = command.write(payment, {
      ...{ status: payment.status, patch, booksBefore: books },
      cause: "reserve released"
    })
    // The balance is read after the payment and its accounts are locked, in the order of every other change.
    const keepsMinimum = Effect.gen(function* () {
      yield* written
      const left = minimum === 0n ? undefined : yield* ledger.balance(LedgerAccount.reserve(org_id, target.currency))
      if (left !== undefined && left.minor < minimum) return yield* new BelowMinimum()
    })
    yield* Effect.catchTag(atomically(keepsMinimum), "BelowMinimum", () => reserves.postpone(payment))
  })

  /** A payment that changed meanwhile, or that another instance was faster with, is looked at again by the next run. */
  const alone = (now: Date) => (due: DueRelease) =>
    release(due, now).pipe(
      Effect.catchTag("VersionConflict", () => Effect.void),
      // Looked at later, so that payments behind it are not held up.
      Effect.catchAllCause((cause) =>
        Effect.zipRight(
          Effect.logError("A reserve was not released; it is tried again", cause),
          reserves.postpone(due.payment)
        )
      ),
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
