import { isLosslessNumber } from "lossless-json"
import { amountText } from "../../api/Amount.ts"
import { shortId } from "../../state/Words.ts"

const named = ["client_reference", "payment_id", "account_id", "request_id"] as const

/** What an event is about, in a few words: events of one type differ in nothing else at a glance. */
export const gistOf = (data: unknown): string => {
  const fields = typeof data === "object" && data !== null ? (data as Readonly<Record<string, unknown>>) : {}
  const subject = named.map((name) => fields[name]).find((value) => typeof value === "string")
  const { amount, currency } = fields
  const money = isLosslessNumber(amount) && typeof currency === "string" ? `${amountText(amount)} ${currency}` : ""
  return [subject === undefined ? "" : subject === fields["client_reference"] ? subject : shortId(subject), money]
    .filter((words) => words !== "")
    .join(", ")
}
