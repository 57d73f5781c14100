/** Reads Daraja's answers, and the results that it sends later. */
import { Option, Schema } from "effect"
import { Accepted, Declined, type Enquiry, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { credentialsRefused, unknownOutcome, outcomeFrom, providerIds, settledOnce } from "../client/ProviderReplies.ts"
import {
  moneyOfMajor,
  optional,
  optionalText,
  present,
  type Refusal,
  refusalsBy,
  objectReader
} from "../client/WireValues.ts"

const errorIn = objectReader({ errorCode: Schema.String, errorMessage: optionalText })

const codeOf = ({ json }: Pick<ProviderReply, "json">) => Option.getOrUndefined(errorIn(json))

const tokenRefusals: ReadonlySet<string> = new Set(["404.001.03", "400.003.01", "401.002.01", "401.003.01"])

/** An expired token is HTTP 404 or 400 with a code; all adapters know it as 401. */
export const withTokenStatus = (reply: ProviderReply): ProviderReply =>
  tokenRefusals.has(codeOf(reply)?.errorCode ?? "") ? { ...reply, status: 401 } : reply

/** Refusals by text: one code of Daraja's has several meanings. In each of them nothing was begun. */
const refusedByWords: ReadonlyArray<readonly [words: RegExp, refusal: Refusal]> = [
  [/spike arrest|quota violation/i, { code: "PROVIDER_BUSY" }],
  [/merchant does not exist|wrong credentials/i, { code: "CREDENTIALS_REFUSED" }],
  [/unable to lock subscriber/i, { instrument: true }]
]

const refused = (reply: ProviderReply): Declined | Unknown => {
  if (reply.status === 401 || reply.status === 403) return credentialsRefused(reply)
  const said = codeOf(reply)
  if (said === undefined) return unknownOutcome(reply)
  const about = { reason: `${said.errorCode}: ${said.errorMessage ?? "no reason"}`, providerCode: said.errorCode }
  if (reply.status < 500) return new Declined({ ...about, code: "INVALID_ORDER" })
  const known = refusedByWords.find(([words]) => words.test(said.errorMessage ?? ""))
  return known === undefined ? unknownOutcome(reply, said.errorCode) : new Declined({ ...known[1], ...about })
}

const Taken = Schema.Struct({ ResponseCode: Schema.String, ResponseDescription: optionalText })

const notTaken = ({ ResponseCode, ResponseDescription }: typeof Taken.Type): Declined =>
  new Declined({ reason: ResponseDescription ?? "It was not taken", providerCode: ResponseCode })

const readPush = objectReader({ ...Taken.fields, CheckoutRequestID: optionalText, MerchantRequestID: optionalText })

export const pushAnswer = outcomeFrom(
  readPush,
  (said) => {
    if (said.ResponseCode !== "0") return notTaken(said)
    if (said.CheckoutRequestID === undefined) {
      return new Unknown({ reason: "M-Pesa took it, and did not say under which CheckoutRequestID" })
    }
    return new Accepted({
      state: "pending",
      providerPaymentId: said.CheckoutRequestID,
      providerStatus: said.ResponseCode,
      nextAction: "wait",
      actionData: {},
      ...providerIds({ merchant_request_id: said.MerchantRequestID })
    })
  },
  refused
)

const readPayout = objectReader({ ...Taken.fields, ConversationID: optionalText })

const payoutTaken = (reference: string, status: string, conversationId?: string) =>
  new Accepted({
    state: "processing",
    // Results and enquiries name a payout by our reference.
    providerPaymentId: reference,
    providerStatus: status,
    nextAction: null,
    actionData: {},
    ...providerIds({ conversation_id: conversationId })
  })

export const payoutAnswer = (reference: string) => {
  const answer = outcomeFrom(
    readPayout,
    (said): Outcome =>
      said.ResponseCode === "0" ? payoutTaken(reference, said.ResponseCode, said.ConversationID) : notTaken(said),
    refused
  )
  return (reply: ProviderReply): Outcome => {
    const said = codeOf(reply)
    const isKnown = /duplicate originatorconversationid/i.test(said?.errorMessage ?? "")
    return isKnown ? payoutTaken(reference, said?.errorCode ?? "") : answer(reply)
  }
}

/** The answer of a status query is no more than that. */
export const isAsked = (reply: ProviderReply): boolean =>
  reply.status === 200 && Option.exists(readPayout(reply.json), ({ ResponseCode }) => ResponseCode === "0")

/** Of prompts. Safaricom's words for each code differ, so codes alone count. */
const pushRefusals = refusalsBy({
  instrument: {
    INSUFFICIENT_FUNDS: "1",
    LIMIT_EXCEEDED: "4",
    NOT_APPROVED: "1019 1032 1037",
    AUTHENTICATION_FAILED: "2001",
    ACCOUNT_INVALID: "8006"
  },
  provider: {
    LIMIT_EXCEEDED: "2 3 8 17",
    PROVIDER_BUSY: "26 1001",
    INVALID_ORDER: "1025 2028 SFC_IC0003",
    PROVIDER_UNAVAILABLE: "9999"
  }
})

/** Of payouts, where the payer is us. */
const payoutRefusals = refusalsBy({
  instrument: { LIMIT_EXCEEDED: "4 8", ACCOUNT_INVALID: "2040 SFC_IC0003" },
  provider: {
    PROVIDER_BALANCE_LOW: "1",
    LIMIT_EXCEEDED: "2 3",
    CREDENTIALS_REFUSED: "21 2001 8006",
    NOT_SUPPORTED: "11 2006 2028"
  }
})

const DONE = "0"
const STILL_PROCESSING = "4999"
const WAITING = "The customer has not answered the prompt"

const failed = (refusals: ReturnType<typeof refusalsBy>, code: string, words: string | undefined) => {
  const refusal = refusals.get(code)
  return refusal === undefined
    ? undefined
    : { reason: words ?? `result ${code}`, providerCode: code, ...present({ code: refusal.code }) }
}

const waiting = (checkoutId: string, status: string): Report =>
  new Report({
    state: "pending",
    reason: null,
    providerPaymentId: checkoutId,
    providerStatus: status,
    waitsFor: { nextAction: "wait", actionData: {} }
  })

const pushResult = (checkoutId: string, code: string, words: string | undefined): Report => {
  if (code === STILL_PROCESSING) return waiting(checkoutId, code)
  const refusal = failed(pushRefusals, code, words)
  return new Report({
    state: code === DONE ? "completed" : refusal === undefined ? "processing" : "failed",
    providerPaymentId: checkoutId,
    providerStatus: code,
    ...(refusal ?? { reason: null }),
    // The query names neither a receipt nor an amount. One prompt takes its whole amount, once.
    ...(code === DONE ? settledOnce("collection", checkoutId, undefined) : {})
  })
}

const readQuery = objectReader({ CheckoutRequestID: optionalText, ResultCode: Schema.String, ResultDesc: optionalText })

export const queryAnswer =
  (checkoutId: string) =>
  (reply: ProviderReply): Enquiry => {
    const said = reply.status === 200 ? Option.getOrUndefined(readQuery(reply.json)) : undefined
    if (said !== undefined && (said.CheckoutRequestID ?? checkoutId) === checkoutId) {
      return pushResult(checkoutId, said.ResultCode, said.ResultDesc)
    }
    const error = codeOf(reply)
    return /being processed/i.test(error?.errorMessage ?? "")
      ? waiting(checkoutId, error?.errorCode ?? WAITING)
      : unknownOutcome(reply, error?.errorCode)
  }

const Parameter = Schema.Struct({ Key: Schema.String, Value: optionalText })

/** Body sent to the address of a payout or of a status query. */
export const readResult = objectReader({
  Result: Schema.Struct({
    ResultType: optionalText,
    ResultCode: Schema.String,
    ResultDesc: optionalText,
    ConversationID: optionalText,
    OriginatorConversationID: optionalText,
    TransactionID: optionalText,
    ResultParameters: optional(
      Schema.Struct({ ResultParameter: optional(Schema.Union(Schema.Array(Parameter), Parameter)) })
    )
  })
})
export type Result = Option.Option.Value<ReturnType<typeof readResult>>["Result"]

const parametersOf = ({ ResultParameters }: Result): ReadonlyMap<string, string> => {
  const listed = ResultParameters?.ResultParameter ?? []
  const all = "Key" in listed ? [listed] : listed
  return new Map(all.flatMap(({ Key, Value }) => (Value === undefined ? [] : [[Key, Value] as const])))
}

const payoutReport = (
  reference: string,
  about: Pick<Report, "state" | "reason" | "providerStatus"> & Partial<Pick<Report, "code" | "providerCode">>,
  amount: string | undefined,
  receipt: string | undefined
): Report =>
  new Report({
    ...about,
    providerPaymentId: reference,
    ...providerIds({ mpesa_receipt: receipt }),
    // Our reference names the transfer: the result and the status query call its receipt otherwise.
    ...(about.state === "completed"
      ? settledOnce("disbursement", reference, Option.getOrUndefined(moneyOfMajor(amount, "KES")))
      : {})
  })

const IS_LAST = "0"

export const payoutResult = (reference: string, result: Result): Report => {
  const { ResultCode: code, ResultDesc, ResultType = IS_LAST, TransactionID } = result
  const refusal = ResultType === IS_LAST ? failed(payoutRefusals, code, ResultDesc) : undefined
  const isDone = code === DONE && ResultType === IS_LAST
  const parameters = parametersOf(result)
  return payoutReport(
    reference,
    {
      state: isDone ? "completed" : refusal === undefined ? "processing" : "failed",
      providerStatus: code,
      reason: null,
      ...refusal
    },
    parameters.get("TransactionAmount"),
    parameters.get("TransactionReceipt") ?? TransactionID
  )
}

const statuses = new Map<string, Report["state"]>([
  ["completed", "completed"],
  ["failed", "failed"],
  ["cancelled", "failed"],
  ["declined", "failed"],
  ["expired", "failed"]
])

/**
 * Report of a status query; none where the query itself failed: a transaction that was not found may still be on its
 * way.
 */
export const statusResult = (reference: string, result: Result): Option.Option<Report> => {
  const parameters = parametersOf(result)
  const status = parameters.get("TransactionStatus")
  if (result.ResultCode !== DONE || status === undefined) return Option.none()
  if ((parameters.get("OriginatorConversationID") ?? reference) !== reference) return Option.none()
  const state = statuses.get(status.toLowerCase()) ?? "processing"
  const reason = state === "failed" ? (parameters.get("TransactionReason") ?? `its status is ${status}`) : null
  return Option.some(
    payoutReport(
      reference,
      { state, providerStatus: status, reason },
      parameters.get("Amount"),
      parameters.get("ReceiptNo")
    )
  )
}

/** Codes and statuses that are in one of the tables. */
export const isExpectedStatus = (status: string): boolean =>
  [DONE, STILL_PROCESSING].includes(status) ||
  /^\d+\.\d+\.\d+$/.test(status) ||
  pushRefusals.has(status) ||
  payoutRefusals.has(status) ||
  statuses.has(status.toLowerCase())

export const problemIn = (reply: ProviderReply): string => {
  const said = codeOf(reply)
  return said === undefined ? `HTTP ${reply.status}` : `${said.errorCode}: ${said.errorMessage ?? ""}`
}
