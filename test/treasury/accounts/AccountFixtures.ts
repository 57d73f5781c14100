/** Virtual accounts as callers use them over HTTP, for the suites that need one to have something on it. */
import { expect } from "@effect/vitest"
import { Effect, BigDecimal, Either, Option } from "effect"
import type { AccountId, UserId, OrgId } from "../../../src/domain/Ids.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { kenyanBank } from "../../payments/support/Requests.ts"
import { type Credential, people } from "../../support/TestCredentials.ts"
import { type Answer, bodyOf, post, send } from "../../support/Send.ts"
import { AccountMovements } from "../../../src/treasury/accounts/AccountMovements.ts"
import { VirtualAccounts } from "../../../src/treasury/accounts/VirtualAccounts.ts"
import { Beneficiaries } from "../../../src/payments/beneficiaries/Beneficiaries.ts"
import { type Access, authorize, operatorPermit, type Permit } from "../../../src/domain/Access.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"

export const ACCOUNTS = "/v1/virtual-accounts"

export interface Account extends Readonly<Record<string, unknown>> {
  readonly account_id: AccountId
  readonly org_id: string
  readonly user_id: UserId
  readonly currency: string
  readonly balance: number
  readonly status: string
}

export interface Transaction extends Readonly<Record<string, unknown>> {
  readonly transaction_id: string
  readonly account_id: AccountId
  readonly type: string
  readonly status: string
  readonly amount: number
  readonly fee: number
  readonly reference: string
}

export const dataOf = <A>(answer: Answer, status = 200): A => {
  expect(answer.status, answer.text).toBe(status)
  return (bodyOf(answer) as { readonly data: A }).data
}

export const messageOf = (answer: Answer): string => (bodyOf(answer) as { readonly message: string }).message

export const get = (credential: Credential, path: string) => send(`${ACCOUNTS}${path}`, { headers: { ...credential } })

export const ask = (
  credential: Credential,
  path: string,
  body: object = {},
  headers: Readonly<Record<string, string>> = {}
) => post(`${ACCOUNTS}${path}`, { ...credential, ...headers }, body)

export const openAccount = (credential: Credential, body: object) =>
  Effect.map(ask(credential, "/internal/bank", { currency: "KES", ...body }), (answer) => dataOf<Account>(answer, 201))

export const deposit = (credential: Credential, accountId: string, amount: number) =>
  Effect.map(ask(credential, `/${accountId}/simulate-deposit`, { amount }), (answer) => dataOf<Transaction>(answer))

export const withdraw = (credential: Credential, accountId: string, body: object) =>
  Effect.map(ask(credential, `/${accountId}/withdraw`, body), (answer) => dataOf<Transaction>(answer))

export const transfer = (credential: Credential, body: object) =>
  Effect.map(ask(credential, "/transfer", body), (answer) => dataOf<Transaction>(answer))

export const accountOf = (credential: Credential, accountId: string) =>
  Effect.map(get(credential, `/${accountId}`), (answer) => dataOf<Account>(answer))

export const balanceOf = (credential: Credential, accountId: string) =>
  Effect.map(accountOf(credential, accountId), ({ balance }) => balance)

export const transactionsOf = (credential: Credential, accountId: string) =>
  Effect.map(get(credential, `/${accountId}/transactions?limit=100`), (answer) =>
    dataOf<ReadonlyArray<Transaction>>(answer)
  )

export const transactionOf = (credential: Credential, transactionId: string) =>
  Effect.map(get(credential, `/transactions/${transactionId}`), (answer) => dataOf<Transaction>(answer))

/** A bank account in Kenya; the last four digits say how the sandbox treats it. */
export const newBeneficiary = (credential: Credential, ending = "3344") =>
  Effect.map(
    post("/v1/beneficiaries", { ...credential }, kenyanBank(`110022${ending}`)),
    (answer) => dataOf<{ readonly beneficiary_id: string }>(answer, 201).beneficiary_id
  )

export const expectBooksInOrder = Effect.gen(function* () {
  const { problems } = yield* Effect.flatMap(LedgerStore, ({ check }) => check)
  expect(problems).toEqual([])
})

/** Events for webhook endpoints, also those without a receiver: newest first. */
export const eventsOf = (credential: Credential, type: string) =>
  Effect.map(send(`/v1/public/events?limit=100&event_type=${type}`, { headers: { ...credential } }), (answer) =>
    dataOf<ReadonlyArray<{ readonly data: Readonly<Record<string, unknown>> }>>(answer)
  )

/** Accounts and movements by the services themselves, for suites that do many of them at one time. */
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
