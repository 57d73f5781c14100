/** Reads MTN's answers. MTN refuses orders with HTTP 500 and a code, so the code counts before the status. */
import { Option, Schema } from "effect"
import { Absent, Accepted, Declined, type Enquiry, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import type { RefusalCode } from "../../domain/PaymentStatus.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import {
  credentialsRefused,
  unknownOutcome,
  providerIds,
  settledOnce,
  acceptedDuplicate
} from "../client/ProviderReplies.ts"
import {
  meaningOf,
  meanings,
  moneyOfMajor,
  optional,
  optionalText,
  present,
  type Refusal,
  objectReader
} from "../client/WireValues.ts"
import type { Endpoint, Product } from "./MtnMomoRequests.ts"

type Side = "ours" | "customers"

const theirs = (code: RefusalCode): Refusal => ({ code, instrument: true })

/** Either side of a payment can be at fault, and which of them is us depends on the way that the money goes. */
const sides: Readonly<Record<Product, { readonly payer: Side; readonly payee: Side }>> = {
  collection: { payer: "customers", payee: "ours" },
  disbursement: { payer: "ours", payee: "customers" }
}

const ofWallet = (side: Side): Refusal => (side === "customers" ? theirs("ACCOUNT_INVALID") : {})

const ofApproval = (payer: Side): Refusal => (payer === "customers" ? theirs("NOT_APPROVED") : {})

/** Each of these says that no money was moved, nor will be. */
const refusals: Readonly<Record<string, (at: (typeof sides)[Product]) => Refusal>> = {
  PAYER_NOT_FOUND: ({ payer }) => ofWallet(payer),
  PAYEE_NOT_FOUND: ({ payee }) => ofWallet(payee),
  PAYEE_NOT_ALLOWED_TO_RECEIVE: ({ payee }) => ofWallet(payee),
  NOT_ENOUGH_FUNDS: ({ payer }) =>
    payer === "customers" ? theirs("INSUFFICIENT_FUNDS") : { code: "PROVIDER_BALANCE_LOW" },
  PAYER_LIMIT_REACHED: ({ payer }) => (payer === "customers" ? theirs("LIMIT_EXCEEDED") : { code: "LIMIT_EXCEEDED" }),
  PAYMENT_NOT_APPROVED: ({ payer }) => ofApproval(payer),
  APPROVAL_REJECTED: ({ payer }) => ofApproval(payer),
  EXPIRED: ({ payer }) => ofApproval(payer),
  TRANSACTION_CANCELED: ({ payer }) => ofApproval(payer),
  NOT_ALLOWED: () => ({}),
  NOT_ALLOWED_TARGET_ENVIRONMENT: () => ({ code: "CREDENTIALS_REFUSED" }),
  INVALID_CALLBACK_URL_HOST: () => ({ code: "INVALID_ORDER" }),
  INVALID_CURRENCY: () => ({ code: "NOT_SUPPORTED" })
}

const refusalOf = (product: Product, code: string | undefined): Refusal | undefined =>
  meaningOf(refusals, code)?.(sides[product])

const ErrorReason = Schema.Struct({ code: optionalText, message: optionalText })
type ErrorReason = typeof ErrorReason.Type

const errorIn = Schema.decodeUnknownOption(ErrorReason)

const reasonIn = ({ json }: ProviderReply): ErrorReason => Option.getOrElse(errorIn(json), () => ({}))

const textOf = ({ code, message }: ErrorReason, otherwise: string): string => {
  if (code === undefined) return message ?? otherwise
  return message === undefined ? code : `${code}: ${message}`
}

/** A reference that MTN knows already is not for here: what it knows of it is asked. */
export const orderAnswer =
  ({ product }: Endpoint, reference: string) =>
  (reply: ProviderReply): Outcome => {
    if (reply.status === 202) {
      return new Accepted({
        state: "processing",
        // The reference is the only id that MTN has for it from now on.
        providerPaymentId: reference,
        providerStatus: "PENDING",
        nextAction: product === "collection" ? "wait" : null,
        actionData: {},
        providerData: {}
      })
    }
    if (reply.status === 401 || reply.status === 403) return credentialsRefused(reply)
    const said = reasonIn(reply)
    const reason = textOf(said, `HTTP ${reply.status}`)
    if (reply.status === 400) {
      return new Declined({ reason, code: "INVALID_ORDER", providerCode: said.code ?? "400" })
    }
    const refusal = reply.status === 500 ? refusalOf(product, said.code) : undefined
    return refusal === undefined || said.code === undefined
      ? unknownOutcome(reply, said.code ?? "without a definite answer")
      : new Declined({ ...refusal, reason, providerCode: said.code })
  }

const statusIn = objectReader({
  status: Schema.String,
  amount: optionalText,
  currency: optionalText,
  financialTransactionId: optionalText,
  // Callbacks and some of its platforms name the code alone.
  reason: optional(Schema.Union(Schema.String, ErrorReason))
})

const states = meanings({ processing: "PENDING", completed: "SUCCESSFUL", failed: "FAILED" })

export const isExpectedStatus = (status: string): boolean => states.has(status)

const reasonOf = (reason: string | ErrorReason | undefined): ErrorReason =>
  typeof reason === "string" ? { code: reason } : (reason ?? {})

const refusedWith = (product: Product, why: ErrorReason) => ({
  reason: textOf(why, "MTN says that it failed, and not why"),
  ...present({ code: refusalOf(product, why.code)?.code, providerCode: why.code })
})

/** Failed payments are answered with 200 as well: only the status in the body says what became of them. */
export const statusAnswer =
  ({ moves, product }: Endpoint, reference: string) =>
  (reply: ProviderReply): Enquiry => {
    if (reply.status === 404 && Option.exists(errorIn(reply.json), ({ code }) => code === "RESOURCE_NOT_FOUND")) {
      return new Absent()
    }
    const said = reply.status === 200 ? Option.getOrUndefined(statusIn(reply.json)) : undefined
    if (said === undefined) return unknownOutcome(reply)
    // A request to pay is PENDING until its payer authorises or declines it, or it times out: nothing has moved by then.
    const waits = product === "collection" && said.status === "PENDING"
    const state = waits ? "pending" : (states.get(said.status) ?? "processing")
    const money = Option.getOrUndefined(moneyOfMajor(said.amount, said.currency))
    if (state === "completed" && product === "collection" && said.amount !== undefined && money === undefined) {
      return new Unknown({ reason: "MTN took an amount that cannot be read" })
    }
    return new Report({
      state,
      providerPaymentId: reference,
      providerStatus: said.status,
      ...providerIds({ financial_transaction_id: said.financialTransactionId }),
      ...(state === "failed" ? refusedWith(product, reasonOf(said.reason)) : { reason: null }),
      // The contract lets `financialTransactionId` be missing. One reference moves money once.
      ...(state === "completed" ? settledOnce(moves, reference, money) : {}),
      ...(waits ? { waitsFor: { nextAction: "wait", actionData: {} } } : {})
    })
  }

/** Outcome of an order whose reference MTN already has. A failure is left to the next enquiry. */
export const outcomeOfKnown =
  ({ product }: Endpoint) =>
  (found: Enquiry): Outcome => {
    const outcome = acceptedDuplicate(found)
    const waits = product === "collection" && found._tag === "Report" && found.state === "processing"
    return outcome._tag === "Accepted" && waits ? new Accepted({ ...outcome, nextAction: "wait" }) : outcome
  }

const balanceIn = objectReader({ availableBalance: Schema.String, currency: Schema.String })

/** Text for the test of the account. */
export const balanceAnswer = (reply: ProviderReply): Option.Option<string> =>
  Option.map(
    reply.status === 200 ? balanceIn(reply.json) : Option.none(),
    ({ availableBalance, currency }) => `${availableBalance} ${currency}`
  )

/** Why a call that should have worked did not. */
export const problemIn = (reply: ProviderReply): string => textOf(reasonIn(reply), `HTTP ${reply.status}`)
