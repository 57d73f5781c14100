/** Pays a party what stands in its name, when someone asks for it: all of it, to a beneficiary of the organisation. */
import { Effect, Option } from "effect"
import type * as Api from "../../contract/api/Escrow.ts"
import { Beneficiaries } from "../../payments/beneficiaries/Beneficiaries.ts"
import type { Permit } from "../../domain/Access.ts"
import { Conflict, Invalid } from "../../domain/Failure.ts"
import { uuidOrNil } from "../../domain/Ids.ts"
import type { NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import { partyBooks } from "./Escrow.ts"
import type { EscrowTransaction } from "./EscrowTransaction.ts"
import type { PayParty } from "./PartyPayout.ts"
import { partyOf } from "./Steps.ts"

export interface WantedPayout {
  readonly escrowId: string
  readonly partyId: string
  /** The party's own when not given. */
  readonly beneficiaryId: string | undefined
  readonly key?: NewKey | undefined
}

type PartyPayout = typeof Api.PartyPayout.Type

export const makePayingOut = (transaction: EscrowTransaction, pay: PayParty) =>
  Effect.gen(function* () {
    const beneficiaries = yield* Beneficiaries
    const ledger = yield* Ledger

    const beneficiaryOf = Effect.fnUntraced(function* (orgId: string, id: string | null) {
      if (id === null) {
        return yield* new Invalid({ message: "beneficiary_id: is needed, since the party has none of its own." })
      }
      return yield* Effect.mapError(
        Effect.flatten(beneficiaries.find(Option.some(orgId), uuidOrNil(id))),
        () => new Invalid({ message: "beneficiary_id: is not a beneficiary of this organisation." })
      )
    })

    return Effect.fnUntraced(function* (permit: Permit<"escrow">, wanted: WantedPayout) {
      const escrow = yield* transaction.find(permit, wanted.escrowId)
      const party = yield* partyOf(escrow, wanted.partyId)
      const beneficiary = yield* beneficiaryOf(escrow.org_id, wanted.beneficiaryId ?? party.beneficiary_id)
      const available = yield* ledger.balance(partyBooks(escrow, party))
      if (available.isZero) {
        return yield* new Conflict({ message: "Nothing stands in this party's name: there is nothing to pay out." })
      }
      const description = `${escrow.name}: ${party.name}`
      const payment = yield* pay(permit, { escrow, party, beneficiary, available, description, key: wanted.key })
      return {
        escrow_id: escrow.escrow_id,
        party_id: party.party_id,
        beneficiary_id: beneficiary.beneficiary_id,
        amount: payment.amount.toDecimal(),
        currency: escrow.currency,
        payment_id: payment.payment_id,
        transaction_id: payment.transaction_id,
        status: payment.status
      } satisfies PartyPayout
    })
  })
