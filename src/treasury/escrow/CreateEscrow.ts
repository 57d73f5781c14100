/** Makes an escrow of a request: whatever it names must be the organisation's own, and in the escrow's currency. */
import { Context, Effect, Layer, Option } from "effect"
import { AccountId, BeneficiaryId, type Naming } from "../../domain/Identifiers.ts"
import { VirtualAccounts } from "../accounts/VirtualAccounts.ts"
import { Beneficiaries } from "../../payments/beneficiaries/Beneficiaries.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import { Invalid, NotFound } from "../../domain/Failure.ts"
import { idOrNil, Ids } from "../../domain/Ids.ts"
import type { Escrow, NewEscrow } from "./Escrow.ts"
import { EscrowTransaction } from "./EscrowTransaction.ts"
import { EscrowStore } from "./EscrowStore.ts"
import { type Draft, idsFor, type NamedDraft, planEscrow } from "./NewEscrow.ts"

const idOrNull = <Id extends string>(of: Naming<Id>, given: string | undefined): Id | null =>
  given === undefined ? null : idOrNil(of)(given)

const withIds = (draft: Draft): NamedDraft => ({
  ...draft,
  account_id: idOrNil(AccountId)(draft.account_id),
  parties: draft.parties.map((party) => ({
    ...party,
    account_id: idOrNull(AccountId, party.account_id),
    beneficiary_id: idOrNull(BeneficiaryId, party.beneficiary_id)
  }))
})

export class CreateEscrow extends Context.Tag("corridor/CreateEscrow")<
  CreateEscrow,
  (permit: Permit<"escrow">, draft: Draft) => Stored<Escrow, NotFound | Invalid>
>() {
  static readonly layer = Layer.effect(
    CreateEscrow,
    Effect.gen(function* () {
      const store = yield* EscrowStore
      const accounts = yield* VirtualAccounts
      const beneficiaries = yield* Beneficiaries
      const transaction = yield* EscrowTransaction
      const ids = yield* Ids
      const { atomically } = yield* Transactor

      const mustBeIn = (currency: string, escrow: NewEscrow, field: string) =>
        currency === escrow.currency
          ? Effect.void
          : Effect.fail(new Invalid({ message: `${field}: is in ${currency}, the escrow in ${escrow.currency}.` }))

      const checkAccount = Effect.fnUntraced(function* (escrow: NewEscrow, id: AccountId, field: string) {
        const account = yield* accounts.find(escrow.org_id, id)
        if (Option.isNone(account)) {
          return yield* new NotFound({ message: `${field}: no virtual account with this id.` })
        }
        yield* mustBeIn(account.value.currency, escrow, field)
      })

      const checkBeneficiary = Effect.fnUntraced(function* (escrow: NewEscrow, id: BeneficiaryId, field: string) {
        const beneficiary = yield* beneficiaries.find(Option.some(escrow.org_id), id)
        if (Option.isNone(beneficiary)) {
          return yield* new Invalid({ message: `${field}: is not a beneficiary of this organisation.` })
        }
        yield* mustBeIn(beneficiary.value.currency, escrow, field)
      })

      const check = Effect.fnUntraced(function* (escrow: NewEscrow) {
        yield* checkAccount(escrow, escrow.account_id, "account_id")
        for (const [at, { account_id, beneficiary_id }] of escrow.parties.entries()) {
          if (account_id !== null) yield* checkAccount(escrow, account_id, `parties[${at}].account_id`)
          if (beneficiary_id !== null) yield* checkBeneficiary(escrow, beneficiary_id, `parties[${at}].beneficiary_id`)
        }
      })

      return Effect.fnUntraced(function* (permit, draft) {
        const org_id = Option.getOrUndefined(permit.scope)
        if (org_id === undefined) {
          return yield* new Invalid({ message: "org_id: say which organisation the escrow is for." })
        }
        const fresh = (yield* ids.several(idsFor(draft)))[Symbol.iterator]()
        const planned = yield* planEscrow(org_id, withIds(draft), () => String(fresh.next().value))
        yield* check(planned)
        return yield* atomically(
          Effect.tap(store.insert(planned), (escrow) =>
            transaction.record(permit, escrow, "escrow.created", {
              name: escrow.name,
              account_id: escrow.account_id,
              total_amount: escrow.total.toNumericText(),
              currency: escrow.currency
            })
          )
        )
      })
    })
  )
}
