/**
 * Callbacks of Daraja, which signs nothing. The address in an order carries a code of this account.
 * - Without the code a callback is a hint.
 * - With the code, a callback about a prompt tells its CheckoutRequestID. A query by that id tells the outcome.
 * - Payouts cannot be queried: the answer to a status query is a callback too. So a callback with the code counts.
 */
import { Effect, Option, Schema } from "effect"
import { type Enquiry, Report } from "../../domain/Outcome.ts"
import { providerIds } from "../client/ProviderReplies.ts"
import { optional, optionalText, objectReader } from "../client/WireValues.ts"
import {
  type Callback,
  type CallbackEvent,
  type CallbackRequest,
  Check,
  Hint,
  jsonOfBody,
  NoProof,
  Proof,
  VerifiedReport
} from "../port/Callback.ts"
import { payoutResult, readResult, type Result, statusResult } from "./MpesaAnswers.ts"
import { proofOf, type Use, uses } from "./MpesaRequests.ts"

const readPush = objectReader({
  Body: Schema.Struct({
    stkCallback: Schema.Struct({
      CheckoutRequestID: Schema.String,
      CallbackMetadata: optional(
        Schema.Struct({ Item: Schema.Array(Schema.Struct({ Name: Schema.String, Value: optionalText })) })
      )
    })
  })
})
type Push = Option.Option.Value<ReturnType<typeof readPush>>["Body"]["stkCallback"]

interface Called {
  readonly push: Push | undefined
  readonly result: Result | undefined
}

const calledIn = (request: CallbackRequest): Called => {
  const json = jsonOfBody(request)
  return {
    push: Option.getOrUndefined(Option.flatMap(json, readPush))?.Body.stkCallback,
    result: Option.getOrUndefined(Option.flatMap(json, readResult))?.Result
  }
}

/** Anybody may have sent it. */
const hinted = ({ push, result }: Called, { query }: CallbackRequest): Callback => {
  const reference = query["reference"] ?? result?.OriginatorConversationID ?? null
  const providerPaymentId = push?.CheckoutRequestID ?? null
  return {
    isUnsigned: true,
    events:
      reference === null && providerPaymentId === null ? [] : [new Hint({ attempt: { reference, providerPaymentId } })]
  }
}

const receiptOf = ({ CallbackMetadata }: Push): string | undefined =>
  CallbackMetadata?.Item.find(({ Name }) => Name === "MpesaReceiptNumber")?.Value

/** The id is ours, and the query did not say yet what became of it. */
const begun = (checkoutId: string): Report =>
  new Report({ state: "processing", reason: null, providerPaymentId: checkoutId, providerStatus: null })

const isEnd = ({ state }: Report): boolean => state === "completed" || state === "failed"

interface Trusted {
  readonly secret: string
  /** Queries a prompt with the account's credentials. */
  readonly lookUp: (checkoutId: string) => Effect.Effect<Enquiry>
}

export const callbackOf =
  ({ lookUp, secret }: Trusted) =>
  (request: CallbackRequest): Effect.Effect<Callback, NoProof> =>
    Effect.gen(function* () {
      const called = calledIn(request)
      const { proof: given, reference, use: named } = request.query
      const use = uses.find((one): one is Use => one === named)
      if (given === undefined) return hinted(called, request)
      if (use === undefined || reference === undefined)
        return yield* new NoProof({ message: "The address is not ours" })
      const check = Check.same(proofOf(secret, use, reference), given)
      const proof = yield* Proof.from(check, "The code in the address is not of this account")

      const stated = (about: "payin" | "payout", report: Report): ReadonlyArray<CallbackEvent> => {
        const attempt = { reference, providerPaymentId: report.providerPaymentId, about }
        const key = `${about} ${reference} ${report.providerPaymentId} ${report.state}`
        const verified = new VerifiedReport({ key, attempt, report, proof })
        return isEnd(report) ? [verified] : [verified, new Hint({ attempt })]
      }

      const pushed = (push: Push) =>
        Effect.map(lookUp(push.CheckoutRequestID), (said) => {
          const report = said._tag === "Report" && isEnd(said) ? said : begun(push.CheckoutRequestID)
          return stated("payin", new Report({ ...report, ...providerIds({ mpesa_receipt: receiptOf(push) }) }))
        })

      const { push, result } = called
      switch (use) {
        case "payin":
          return { events: push === undefined ? [] : yield* pushed(push) }
        case "payout":
          return { events: result === undefined ? [] : stated("payout", payoutResult(reference, result)) }
        case "status":
          return {
            events: Option.match(
              Option.flatMap(Option.fromNullable(result), (one) => statusResult(reference, one)),
              {
                onNone: () => [],
                // Answer to an enquiry: a hint would cause another one at once.
                onSome: (report) => stated("payout", report).slice(0, 1)
              }
            )
          }
        case "timeout":
          return { events: [new Hint({ attempt: { reference, providerPaymentId: null, about: "payout" } })] }
      }
    })

export const provedAddress =
  (callbackUrl: string, secret: string) =>
  (use: Use, reference: string): string =>
    `${callbackUrl}?${new URLSearchParams({ use, reference, proof: proofOf(secret, use, reference) }).toString()}`
