/** Reads answers to orders. `success` means only that the order was accepted. */
import { Option, Schema } from "effect"
import { Accepted, Declined, type Outcome } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { credentialsRefused, isOk, unknownOutcome, providerIds, settledOnce } from "../client/ProviderReplies.ts"
import { moneyOfMajor, optional, optionalText, type Refusal } from "../client/WireValues.ts"
import { urlOf } from "../../domain/Url.ts"
import type { RefusalCode } from "../../domain/PaymentStatus.ts"

/** Flutterwave refuses with sentences instead of codes; the unambiguous ones are matched by text. */
type RefusalByWords = readonly [words: RegExp, refusal: Refusal]

const theirs = (code: RefusalCode): Refusal => ({ code, instrument: true })

/** Of money that a customer should pay. */
const ofCharges: ReadonlyArray<RefusalByWords> = [
  [/insufficient (funds?|balance)/i, theirs("INSUFFICIENT_FUNDS")],
  [/do not honou?r|declined by (the )?(issuer|bank)/i, theirs("CARD_DECLINED")],
  [/expired card|card (has )?expired/i, theirs("CARD_EXPIRED")],
  [/incorrect pin|invalid (pin|otp|token)/i, theirs("AUTHENTICATION_FAILED")],
  [/cancel+ed by (the )?(customer|user)|user cancel+ed/i, theirs("NOT_APPROVED")],
  [/not (enabled|permitted|supported)/i, { code: "NOT_SUPPORTED" }]
]

/** Of money that we should pay. */
const ofTransfers: ReadonlyArray<RefusalByWords> = [
  [/insufficient (funds?|balance)/i, { code: "PROVIDER_BALANCE_LOW" }],
  [
    /recipient account could not be|(invalid|unknown) account|account (number )?(is )?invalid/i,
    theirs("ACCOUNT_INVALID")
  ],
  [/can only spend|limit/i, { code: "LIMIT_EXCEEDED" }],
  [/not (enabled|permitted|supported)/i, { code: "NOT_SUPPORTED" }]
]

export const refusalIn = (message: string, isPayout: boolean): Refusal =>
  (isPayout ? ofTransfers : ofCharges).find(([words]) => words.test(message))?.[1] ?? {}

/** Duplicate reference: an enquiry asks for the existing one. */
const saysDuplicate = (message: string): boolean =>
  /(duplicate|already|exist).*(reference|tx_ref)|(reference|tx_ref).*(duplicate|already|exist)/i.test(message) &&
  !/not exist/i.test(message)

export const isNotFoundMessage = (message: string): boolean =>
  /no (transaction|transfer)|(transaction|transfer) (was )?not found/i.test(message)

const Envelope = Schema.Struct({ status: Schema.String, message: optionalText })
const envelopeIn = Schema.decodeUnknownOption(Envelope)

export const messageIn = ({ json }: ProviderReply): string | undefined =>
  Option.getOrUndefined(envelopeIn(json))?.message

const isSuccess = (reply: ProviderReply): boolean =>
  isOk(reply) && Option.exists(envelopeIn(reply.json), ({ status }) => status === "success")

/** The `data` of an answer, and what stands beside it, where it is the answer of something that worked. */
export const answerOf = <A extends { readonly data?: unknown }, I>(schema: Schema.Schema<A, I>) => {
  const read = Schema.decodeUnknownOption(schema)
  return (reply: ProviderReply): A | undefined =>
    isSuccess(reply) ? Option.getOrUndefined(read(reply.json)) : undefined
}

/** Paging of a list. */
export const pages = {
  meta: optional(Schema.Struct({ page_info: optional(Schema.Struct({ total_pages: optionalText })) }))
}

export const isDuplicate = (reply: ProviderReply): boolean => {
  const message = reply.status === 400 ? messageIn(reply) : undefined
  return message !== undefined && saysDuplicate(message)
}

const refused = (message: string, isPayout: boolean, providerCode: string): Declined =>
  new Declined({ ...refusalIn(message, isPayout), reason: message, providerCode })

/** Only what it lists as wrong with an order is a refusal; anything else may have been taken. */
const notTaken = (reply: ProviderReply, isPayout: boolean): Outcome => {
  if (reply.status === 401 || reply.status === 403) return credentialsRefused(reply)
  const said = Option.getOrUndefined(envelopeIn(reply.json))
  return reply.status === 400 && said?.status === "error"
    ? refused(said.message ?? "HTTP 400", isPayout, "400")
    : unknownOutcome(reply, said?.message ?? "without a definite answer")
}

const chargeIn = answerOf(
  Schema.Struct({
    data: optional(
      Schema.Struct({
        id: optionalText,
        flw_ref: optionalText,
        status: optionalText,
        amount: optionalText,
        currency: optionalText,
        processor_response: optionalText
      })
    ),
    meta: optional(
      Schema.Struct({
        authorization: optional(
          Schema.Struct({
            mode: optionalText,
            redirect: optionalText,
            transfer_account: optionalText,
            transfer_bank: optionalText,
            transfer_reference: optionalText,
            account_expiration: optionalText
          })
        )
      })
    )
  })
)

const isWebAddress = (address: string | undefined): address is string =>
  address !== undefined && /^https?:$/.test(urlOf(address)?.protocol ?? "")

/** Milliseconds since 1970 in some answers, a date in others. */
const moment = (written: string | undefined): string | null => {
  if (written === undefined) return null
  const at = new Date(/^\d+$/.test(written) ? Number(written) : written)
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}

export const chargeAnswer = (reply: ProviderReply): Outcome => {
  const answer = chargeIn(reply)
  if (answer === undefined) return notTaken(reply, false)
  const { data, meta } = answer
  const authorization = meta?.authorization
  if (data === undefined && authorization === undefined)
    return unknownOutcome(reply, "with neither a charge nor a next step")
  const status = data?.status?.toLowerCase()
  const taken = {
    providerPaymentId: data?.id ?? null,
    providerStatus: data?.status ?? authorization?.mode ?? null,
    ...providerIds({ transaction_id: data?.id, flw_ref: data?.flw_ref })
  }
  if (status === "failed") return refused(data?.processor_response ?? "the charge failed at once", false, "failed")
  if (authorization?.mode === "banktransfer" && authorization.transfer_account !== undefined) {
    return new Accepted({
      ...taken,
      state: "pending",
      nextAction: "bank_transfer",
      actionData: {
        account_name: null,
        account_number: authorization.transfer_account,
        bank_name: authorization.transfer_bank ?? null,
        bank_code: null,
        reference: authorization.transfer_reference ?? null,
        expires_at: moment(authorization.account_expiration)
      }
    })
  }
  if (isWebAddress(authorization?.redirect)) {
    const actionData = { redirect_url: authorization.redirect }
    return new Accepted({ ...taken, state: "pending", nextAction: "redirect", actionData })
  }
  const money = moneyOfMajor(data?.amount, data?.currency)
  if (status === "successful" && Option.isSome(money) && data?.id !== undefined) {
    const collected = settledOnce("collection", data.id, money.value)
    return new Accepted({ ...taken, ...collected, state: "completed", nextAction: null, actionData: {} })
  }
  return new Accepted({ ...taken, state: "processing", nextAction: "wait", actionData: {} })
}

const linkIn = answerOf(Schema.Struct({ data: Schema.Struct({ link: Schema.String }) }))

export const linkAnswer = (reply: ProviderReply, pageEndsAt?: string): Outcome => {
  const link = linkIn(reply)?.data.link
  if (!isWebAddress(link)) return notTaken(reply, false)
  return new Accepted({
    state: "pending",
    providerPaymentId: null,
    providerStatus: null,
    nextAction: "redirect",
    actionData: { redirect_url: link, expires_at: pageEndsAt ?? null },
    providerData: {}
  })
}

const createdIn = answerOf(
  Schema.Struct({
    data: Schema.Struct({ id: Schema.String, status: Schema.String, complete_message: optionalText })
  })
)

export const transferAnswer = (reply: ProviderReply): Outcome => {
  const data = createdIn(reply)?.data
  if (data === undefined) return notTaken(reply, true)
  const status = data.status.toUpperCase()
  if (status === "FAILED") return refused(data.complete_message ?? "the transfer failed at once", true, data.status)
  return new Accepted({
    state: status === "SUCCESSFUL" ? "completed" : "processing",
    providerPaymentId: data.id,
    providerStatus: data.status,
    nextAction: null,
    actionData: {},
    ...providerIds({ transfer_id: data.id }),
    ...(status === "SUCCESSFUL" ? settledOnce("disbursement", data.id, undefined) : {})
  })
}

/** Its refunds end as `successful`, or by a word for the way that they took, such as `completed-momo`. */
export const refundState = (status: string): "completed" | "failed" | "processing" => {
  const lower = status.toLowerCase()
  if (lower.startsWith("completed") || lower === "successful") return "completed"
  return lower.startsWith("failed") ? "failed" : "processing"
}

export const refundAnswer = (reply: ProviderReply): Outcome => {
  const data = createdIn(reply)?.data
  if (data === undefined) return notTaken(reply, true)
  const state = refundState(data.status)
  if (state === "failed") return refused("the refund failed at once", true, data.status)
  return new Accepted({
    state,
    providerPaymentId: data.id,
    providerStatus: data.status,
    nextAction: null,
    actionData: {},
    ...providerIds({ refund_id: data.id }),
    movements: [{ kind: "refund", id: data.id, amount: null, state: state === "completed" ? "settled" : "pending" }]
  })
}
