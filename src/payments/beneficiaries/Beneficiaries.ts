/** Creates, changes and deletes beneficiaries. Each change is audited in its own transaction. */
import { Context, Effect, Layer, Option } from "effect"
import { BeneficiaryId, type UserId, Ids } from "../../domain/Ids.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { orNotFound, type Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../../platform/database/Query.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import { Conflict, Invalid, type NotFound } from "../../domain/Failure.ts"
import {
  applyPatch,
  type Beneficiary,
  checkBeneficiary,
  type Patch,
  type Draft,
  BeneficiaryStore
} from "./Beneficiary.ts"
import type {
  BeneficiariesApi,
  BankValidationApi,
  UkAccount,
  UkAccountValidation,
  NetworksApi
} from "../../contract/api/BeneficiariesApi.ts"
import { success } from "../../contract/api/Envelope.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import { networksOfCountry } from "../../domain/MobileNetwork.ts"
import { traced } from "../../platform/observability/Spans.ts"

export class Beneficiaries extends Context.Tag("corridor/Beneficiaries")<
  Beneficiaries,
  {
    readonly list: (
      permit: Permit<"any">,
      of: Option.Option<UserId>,
      window: Window
    ) => Stored<ReadonlyArray<Beneficiary>>
    readonly get: (permit: Permit<"any">, id: BeneficiaryId) => Stored<Beneficiary, NotFound>
    readonly create: (permit: Permit<"any">, draft: Draft) => Stored<Beneficiary, Invalid>
    readonly change: (permit: Permit<"any">, id: BeneficiaryId, patch: Patch) => Stored<Beneficiary, NotFound | Invalid>
    readonly remove: (permit: Permit<"any">, id: BeneficiaryId) => Stored<void, NotFound | Conflict>
    /** For payments that are authorised already: of the payment's organisation, or of any. */
    readonly find: (scope: Scope, id: BeneficiaryId) => Stored<Option.Option<Beneficiary>>
  }
>() {
  static readonly layer = Layer.effect(
    Beneficiaries,
    Effect.gen(function* () {
      const store = yield* BeneficiaryStore
      const audit = yield* AuditLog
      const ids = yield* Ids
      const { atomically } = yield* Transactor

      const found = orNotFound("beneficiary")

      const record = (
        permit: Permit<"any">,
        action: string,
        { beneficiary_id, org_id }: Beneficiary,
        detail: Readonly<Record<string, unknown>> = {}
      ) => audit.record(permit, { action, org: org_id, subject: ["beneficiary", beneficiary_id], detail })

      return {
        list: (permit, of, window) => store.list(permit.scope, of, window),
        find: store.find,
        get: (permit, id) => found(store.find(permit.scope, id)),
        create: traced("Beneficiaries.create")(function* (permit, draft) {
          const org_id = Option.getOrUndefined(permit.scope)
          const beneficiary_of = Option.getOrUndefined(permit.actor.userId)
          if (org_id === undefined) {
            return yield* new Invalid({ message: "org_id: say which organisation the beneficiary is for." })
          }
          if (beneficiary_of === undefined) {
            return yield* new Invalid({ message: "beneficiary_of: a beneficiary is made by a user." })
          }
          const fields = yield* checkBeneficiary(draft)
          return yield* atomically(
            Effect.gen(function* () {
              const beneficiary_id = yield* ids.make(BeneficiaryId)
              const made = yield* store.insert({ ...fields, beneficiary_id, org_id, beneficiary_of })
              yield* record(permit, "beneficiary.created", made, { account_type: made.account_type })
              return made
            })
          )
        }),
        change: traced("Beneficiaries.change")(function* (permit, id, patch) {
          return yield* atomically(
            Effect.gen(function* () {
              const old = yield* found(store.findForUpdate(permit.scope, id))
              const fields = yield* applyPatch(old, patch)
              const changed = yield* found(store.update(permit.scope, id, fields))
              yield* record(permit, "beneficiary.changed", changed, { fields: Object.keys(patch) })
              return changed
            })
          )
        }),
        remove: traced("Beneficiaries.remove")(function* (permit, id) {
          yield* atomically(
            Effect.gen(function* () {
              const beneficiary = yield* found(store.findForUpdate(permit.scope, id))
              if (yield* store.hasPaymentUnderWay(permit.scope, id)) {
                return yield* new Conflict({
                  message: "A payment to this beneficiary is under way; delete it when that is over."
                })
              }
              yield* store.remove(permit.scope, id)
              yield* record(permit, "beneficiary.deleted", beneficiary)
            })
          )
        })
      }
    })
  )
}

export const beneficiariesHandlers = Effect.gen(function* () {
  const beneficiaries = yield* Beneficiaries
  const pages = yield* makePages
  const handlers: Handlers<typeof BeneficiariesApi> = {
    list: (request) => {
      const { permit, urlParams } = request
      return pages(request, {
        message: "Beneficiaries",
        filters: urlParams.user_id,
        fetch: (window) => beneficiaries.list(permit, Option.fromNullable(urlParams.user_id), window),
        idOf: (beneficiary) => beneficiary.beneficiary_id
      })
    },
    create: ({ payload, permit }) => answer("Beneficiary created", beneficiaries.create(permit, payload)),
    get: ({ path, permit }) => answer("Beneficiary", beneficiaries.get(permit, path.beneficiary_id)),
    change: ({ path, payload, permit }) =>
      answer("Beneficiary changed", beneficiaries.change(permit, path.beneficiary_id, payload)),
    remove: ({ path, permit }) => beneficiaries.remove(permit, path.beneficiary_id)
  }
  return handlers
})

const sortCodeFormat = /^\d{2}-\d{2}-\d{2}$/
const accountNumberFormat = /^\d{8}$/

/** The format of a UK account, and nothing but the format. */
export const validateUkAccount = ({
  accountNumber,
  sortCode
}: typeof UkAccount.Type): typeof UkAccountValidation.Type => {
  const wrong = [
    ...(sortCodeFormat.test(sortCode) ? [] : ["sortCode: is not six digits as NN-NN-NN."]),
    ...(accountNumberFormat.test(accountNumber) ? [] : ["accountNumber: is not eight digits."])
  ]
  const validated = wrong.length === 0
  const message = validated ? "The sort code and the account number are well formed." : wrong.join(" ")
  return { success: validated, accountDetails: { sortCode, accountNumber, validated, message } }
}

export const bankValidationHandlers: Handlers<typeof BankValidationApi> = {
  validateUkAccount: ({ payload }) => Effect.succeed(validateUkAccount(payload))
}

export const networksHandlers: Handlers<typeof NetworksApi> = {
  list: ({ payload }) => Effect.succeed(success("Mobile money networks", networksOfCountry(payload.country)))
}
