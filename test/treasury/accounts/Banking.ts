/** Virtual accounts as callers use them over HTTP, for the suites that need one to have something on it. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { AccountId, UserId } from "../../../src/domain/Ids.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { kenyanBank } from "../../payments/support/Requests.ts"
import type { Credential } from "../../support/Credentials.ts"
import { type Answer, bodyOf, post, send } from "../../support/Send.ts"

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

/** What was told to webhook endpoints, or would have been: newest first. */
export const eventsOf = (credential: Credential, type: string) =>
  Effect.map(send(`/v1/public/events?limit=100&event_type=${type}`, { headers: { ...credential } }), (answer) =>
    dataOf<ReadonlyArray<{ readonly data: Readonly<Record<string, unknown>> }>>(answer)
  )
