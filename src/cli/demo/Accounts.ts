/** A virtual account of the demo, and an escrow that it funds. */
import { Effect, Schema } from "effect"
import { type Calls, dataOf, Decimal } from "./Calls.ts"
import { kenyanPhone, newBeneficiary } from "./Payments.ts"
import type { RunningSandbox } from "../shared/RunningSandbox.ts"
import type { Shown } from "./Step.ts"

const Account = dataOf({ account_id: Schema.String, balance: Decimal })
const Transaction = dataOf({ transaction_id: Schema.String, status: Schema.String })
const Milestone = Schema.Struct({ milestone_id: Schema.String })
const Escrow = dataOf({ escrow_id: Schema.String, milestones: Schema.NonEmptyArray(Milestone) })
const Paid = dataOf({ parties: Schema.Array(Schema.Struct({ name: Schema.String, balance: Decimal })) })

export const virtualAccount = Effect.fn("Demo.virtualAccount")(function* (calls: Calls, sandbox: RunningSandbox) {
  const wanted = { org_id: sandbox.orgId, user_id: sandbox.userId, currency: "KES", customer_id: "demo" }
  const opened = yield* calls.make("/virtual-accounts/internal/bank", wanted, Account)
  const { account_id } = opened.data
  const path = `/virtual-accounts/${account_id}`
  const deposit = yield* calls.act(`${path}/simulate-deposit`, { amount: 10_000 }, Transaction)
  const beneficiary_id = yield* newBeneficiary(calls, kenyanPhone)
  const asked = { amount: 1500, beneficiary_id, description: "Rent for March" }
  const withdrawal = yield* calls.act(`${path}/withdraw`, asked, Transaction)
  const { transaction_id } = withdrawal.data
  const done = `/virtual-accounts/transactions/${transaction_id}`
  yield* calls.until("the withdrawal to be paid", done, Transaction, ({ data }) => data.status === "completed")
  const { data } = yield* calls.get(path, Account)
  const shown: Shown = {
    what: `10000.00 KES deposited, 1500.00 KES withdrawn to a phone, ${data.balance.text} KES left`,
    ids: { account_id, transaction_id },
    curl: calls.curl(`${path}/transactions`),
    events: [
      ["virtual_account.deposit", deposit.data.transaction_id],
      ["virtual_account.withdrawal", transaction_id]
    ]
  }
  return { ...shown, accountId: account_id }
})

const split = (name: string, split_value: number) => ({ name, split_type: "percentage", split_value })

export const escrow = Effect.fn("Demo.escrow")(function* (calls: Calls, account_id: string) {
  const foundation = {
    label: "Foundation",
    sequence: 1,
    expected_disbursement: 4000,
    parties: [split("Jenga Builders", 66.6), split("Surveyor", 33.4)]
  }
  const wanted = {
    name: "Clinic in Kisumu",
    currency: "KES",
    account_id,
    parties: [{ name: "Jenga Builders" }, { name: "Surveyor" }],
    milestones: [foundation]
  }
  const { data } = yield* calls.make("/virtual-accounts/escrow", wanted, Escrow)
  const path = `/virtual-accounts/escrow/${data.escrow_id}`
  const [{ milestone_id }] = data.milestones
  yield* calls.act(`${path}/fund`, { amount: 4000 }, Schema.Unknown)
  yield* calls.act(`${path}/milestones/${milestone_id}/disburse`, {}, Schema.Unknown)
  const paid = yield* calls.get(path, Paid)
  const shares = paid.data.parties.map(({ balance, name }) => `${balance.text} to ${name}`)
  const shown: Shown = {
    what: `4000.00 KES set aside and disbursed to two parties: ${shares.join(", ")}`,
    ids: { escrow_id: data.escrow_id, milestone_id },
    curl: calls.curl(path)
  }
  return shown
})
