/** How the fake of Flutterwave shows what it holds: transactions, transfers and refunds, as answers and callbacks have them. */
import { WireNumber } from "../../domain/Decimal.ts"
import type { Entry } from "../fakes/FakeBooks.ts"
import { shortText } from "../port/WireValues.ts"

const numberOf = (text: string): WireNumber => new WireNumber(text)

/** Of what was asked for until it is over, then of what was moved. */
const amountOf = ({ asked, moved, state }: Entry): WireNumber =>
  numberOf(shortText(state === "completed" ? moved : asked))

const customerOf = ({ kept }: Entry) => {
  const { email, name, phone } = kept as Readonly<Record<string, string | undefined>>
  return { id: 1998111, name: name ?? "N/A", phone_number: phone ?? "N/A", email }
}

const transactionStatus = ({ state }: Entry): string => {
  if (state === "completed") return "successful"
  return state === "failed" || state === "returned" ? "failed" : "pending"
}

const responseOf = (entry: Entry): string => {
  if (entry.state === "failed") return "Insufficient Funds"
  return entry.state === "completed" ? "Successful" : "Transaction in progress"
}

export const transactionOf = (entry: Entry) => ({
  id: numberOf(entry.id),
  tx_ref: entry.kept["tx_ref"],
  flw_ref: `FLW-MOCK-${entry.id}`,
  device_fingerprint: "N/A",
  amount: amountOf(entry),
  currency: entry.asked.currency,
  charged_amount: amountOf(entry),
  app_fee: numberOf("0"),
  merchant_fee: numberOf("0"),
  processor_response: responseOf(entry),
  auth_model: "AUTH",
  narration: "Corridor",
  status: transactionStatus(entry),
  payment_type: entry.kept["payment_type"],
  created_at: entry.createdAt.toISOString(),
  account_id: 20937,
  meta: null,
  customer: customerOf(entry)
})

const transferStatus = ({ state }: Entry): string => {
  if (state === "completed") return "SUCCESSFUL"
  return state === "failed" || state === "returned" ? "FAILED" : "NEW"
}

export const transferOf = (entry: Entry) => ({
  id: numberOf(entry.id),
  account_number: entry.kept["account_number"],
  bank_code: entry.kept["account_bank"],
  full_name: entry.kept["beneficiary_name"] ?? "N/A",
  created_at: entry.createdAt.toISOString(),
  currency: entry.asked.currency,
  debit_currency: entry.asked.currency,
  amount: amountOf(entry),
  fee: numberOf("0"),
  status: transferStatus(entry),
  reference: entry.kept["reference"],
  meta: entry.kept["meta"] ?? null,
  narration: entry.kept["narration"] ?? null,
  complete_message: entry.state === "failed" ? "DISBURSE FAILED: Transfer failed. Please contact support" : "",
  requires_approval: 0,
  is_approved: 1,
  bank_name: "N/A"
})

const refundStatus = ({ state }: Entry): string => {
  if (state === "completed") return "completed"
  return state === "failed" || state === "returned" ? "failed" : "pending"
}

export const refundOf = (entry: Entry) => ({
  id: numberOf(entry.id),
  account_id: 73362,
  tx_id: numberOf(entry.of ?? "0"),
  flw_ref: `URF_${entry.id}`,
  wallet_id: 74639,
  amount_refunded: amountOf(entry),
  status: refundStatus(entry),
  destination: "payment_source",
  comments: entry.kept["comments"] ?? "",
  meta: { source: "availablebalance" },
  created_at: entry.createdAt.toISOString()
})
