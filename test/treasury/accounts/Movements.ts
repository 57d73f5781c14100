/** Accounts and movements by the services themselves, for suites that do many of them at one time. */
import { BigDecimal, Effect, Either, Option } from "effect"
import type { AccountId, OrgId, UserId } from "../../../src/domain/Ids.ts"
import { AccountMovements } from "../../../src/treasury/accounts/AccountMovements.ts"
import { VirtualAccounts } from "../../../src/treasury/accounts/VirtualAccounts.ts"
import { Beneficiaries } from "../../../src/payments/beneficiaries/Beneficiaries.ts"
import { type Access, authorize, operatorPermit, type Permit } from "../../../src/domain/Access.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { people } from "../../support/Credentials.ts"

export const units = (amount: number) => BigDecimal.make(BigInt(amount), 0)

/** Someone of the first organisation who may do it. */
const permitOf = <A extends Access>(orgId: OrgId, userId: UserId, access: A): Permit<A> =>
  Either.getOrThrow(
    authorize(
      {
        id: userId,
        userId: Option.some(userId),
        apiKeyId: Option.none(),
        admin: false,
        organization: Option.some({ orgId, role: "org-admin", features: new Set(), permissions: new Set() })
      },
      access,
      Option.none()
    )
  )

/** Kenyan bank accounts that the sandbox pays. */
const payee = {
  account_type: "bank",
  beneficiary_type: "business",
  country: CountryCode.make("KE"),
  currency: CurrencyCode.make("KES"),
  fname: "Ada",
  lname: "Okafor",
  bank_details: { account_name: "Ada Okafor", account_number: "1100223344", bank_name: "KCB", bank_code: "01" }
} as const

export const makeBank = Effect.gen(function* () {
  const accounts = yield* VirtualAccounts
  const movements = yield* AccountMovements
  const { acme } = yield* people
  const { org_id } = acme
  const user_id = acme.userId("org-admin")
  const permit = permitOf(org_id, user_id, "accounts")
  const beneficiary = yield* Effect.flatMap(Beneficiaries, (all) => all.create(permitOf(org_id, user_id, "any"), payee))
  const operator = operatorPermit("platform", "tester")
  return {
    org_id,
    open: (amount: number) =>
      Effect.gen(function* () {
        const { account_id } = yield* accounts.create(permit, { org_id, user_id, currency: CurrencyCode.make("KES") })
        if (amount > 0) yield* movements.simulateDeposit(permit, account_id, { amount: units(amount) })
        return account_id
      }),
    deposit: (id: AccountId, amount: number) => movements.simulateDeposit(permit, id, { amount: units(amount) }),
    withdraw: (id: AccountId, amount: number) =>
      movements.withdraw(permit, id, { amount: units(amount), beneficiary_id: beneficiary.beneficiary_id }),
    transfer: (from_account_id: string, to_account_id: string, amount: number) =>
      movements.transfer(permit, { from_account_id, to_account_id, amount: units(amount) }),
    freeze: (id: AccountId) => accounts.freeze(operator, id, null),
    unfreeze: (id: AccountId) => accounts.unfreeze(operator, id),
    balance: (id: AccountId) => Effect.map(accounts.get(permit, id), ({ balance }) => balance.toNumericText()),
    transactions: (id: AccountId) =>
      Effect.flatMap(accounts.get(permit, id), (account) =>
        accounts.transactions(permitOf(org_id, user_id, "any"), account, { after: Option.none(), take: 1000 })
      )
  }
})

export type Bank = Effect.Effect.Success<typeof makeBank>
