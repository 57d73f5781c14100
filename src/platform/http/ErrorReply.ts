/** The one place where a failure becomes an error body. */
import { toWireText, WireNumber } from "../../domain/Decimal.ts"
import { codes, type Failure } from "../../domain/Failure.ts"
import { isInitiation } from "../../contract/api/Initiation.ts"
import { json, type Outgoing } from "./Outgoing.ts"

const headersOf = (failure: Failure): Readonly<Record<string, string>> => {
  switch (failure._tag) {
    case "Busy":
    case "NotWritten":
    case "MaybeWritten":
    case "RateLimited":
      return { "retry-after": String(failure.retryAfterSeconds) }
    case "IdempotencyConflict":
      return failure.retryAfterSeconds === undefined ? {} : { "retry-after": String(failure.retryAfterSeconds) }
    case "TooLarge":
      return failure.closeConnection ? { connection: "close" } : {}
    default:
      return {}
  }
}

const idsOf = (failure: Failure): Readonly<Record<string, string>> =>
  "paymentId" in failure && failure.paymentId !== undefined && failure.transactionId !== undefined
    ? { payment_id: failure.paymentId, transaction_id: failure.transactionId }
    : {}

const rateOf = (failure: Failure) =>
  failure._tag === "Conflict" && failure.rate !== undefined ? { rate: new WireNumber(toWireText(failure.rate)) } : {}

export const failureReply = (failure: Failure, path: string): Outgoing => {
  const { code, message } = failure
  const body = isInitiation(path)
    ? { status: "error", error: message, message, code, ...idsOf(failure), ...rateOf(failure) }
    : { status: "error", message, ...idsOf(failure) }
  return json(codes[code], body, headersOf(failure))
}

const ours = "Something went wrong on our side. Quote the error id when you ask about it."

/** `errorId` stands in the log beside the cause; nothing of the cause itself leaves the process. */
export const defectReply = (errorId: string, path: string): Outgoing => {
  const body = { status: "error", message: ours, error: errorId }
  return json(500, isInitiation(path) ? { ...body, code: "INTERNAL_ERROR" } : body)
}
