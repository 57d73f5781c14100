/** From what PayPal answers to what it means. */
import { Either, Option, Schema } from "effect"
import type { Money } from "../../domain/Money.ts"
import { Absent, Accepted, Declined, type Enquiry, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { credentialsRefused, noVerdict } from "../client/Replies.ts"
import type { Granted } from "../client/Tokens.ts"
import { moneyOfMajor } from "../port/WireAmount.ts"
import { endBy, payoutCode, problemIn, refused } from "./PaypalRefusals.ts"

const text = Schema.optionalWith(Schema.String, { nullable: true })

const Amount = Schema.Struct({ currency_code: Schema.String, value: Schema.String })

const Capture = Schema.Struct({
  id: text,
  status: Schema.String,
  amount: Schema.optionalWith(Amount, { nullable: true }),
  status_details: Schema.optionalWith(Schema.Struct({ reason: text }), { nullable: true }),
  seller_receivable_breakdown: Schema.optionalWith(
    Schema.Struct({ paypal_fee: Schema.optionalWith(Amount, { nullable: true }) }),
    { nullable: true }
  )
})
type Capture = typeof Capture.Type

const Unit = Schema.Struct({
  custom_id: text,
  payments: Schema.optionalWith(
    Schema.Struct({ captures: Schema.optionalWith(Schema.Array(Capture), { nullable: true }) }),
    { nullable: true }
  )
})

const Order = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  purchase_units: Schema.optionalWith(Schema.Array(Unit), { nullable: true }),
  links: Schema.optionalWith(Schema.Array(Schema.Struct({ href: Schema.String, rel: text })), { nullable: true })
})
export type Order = typeof Order.Type

const readOrder = Schema.decodeUnknownOption(Order)

const PayoutAmount = Schema.Struct({ currency: Schema.String, value: Schema.String })

const Item = Schema.Struct({
  transaction_status: text,
  payout_batch_id: text,
  payout_item_fee: Schema.optionalWith(PayoutAmount, { nullable: true }),
  payout_item: Schema.optionalWith(
    Schema.Struct({ sender_item_id: text, amount: Schema.optionalWith(PayoutAmount, { nullable: true }) }),
    { nullable: true }
  ),
  errors: Schema.optionalWith(Schema.Struct({ name: text, message: text }), { nullable: true })
})
type Item = typeof Item.Type

const readBatch = Schema.decodeUnknownOption(
  Schema.Struct({
    batch_header: Schema.Struct({ payout_batch_id: Schema.String, batch_status: Schema.String }),
    items: Schema.optionalWith(Schema.Array(Item), { nullable: true })
  })
)

export const readCapture = Schema.decodeUnknownOption(Capture)

export const readItem = Schema.decodeUnknownOption(Item)

type State = Report["state"]

const orderStates: Readonly<Record<string, State>> = {
  CREATED: "pending",
  SAVED: "pending",
  PAYER_ACTION_REQUIRED: "pending",
  // The customer agreed; nothing is moved before it is captured.
  APPROVED: "pending",
  COMPLETED: "processing",
  VOIDED: "failed"
}

const captureStates: Readonly<Record<string, State>> = {
  COMPLETED: "completed",
  PENDING: "processing",
  DECLINED: "failed",
  FAILED: "failed",
  REFUNDED: "returned",
  // A part went back by hand: what was taken was taken.
  PARTIALLY_REFUNDED: "completed"
}

const batchStates: Readonly<Record<string, State>> = {
  PENDING: "processing",
  PROCESSING: "processing",
  // Its item says more.
  SUCCESS: "processing",
  DENIED: "failed",
  CANCELED: "failed"
}

const itemStates: Readonly<Record<string, State>> = {
  SUCCESS: "completed",
  PENDING: "processing",
  ONHOLD: "processing",
  UNCLAIMED: "processing",
  FAILED: "failed",
  BLOCKED: "failed",
  RETURNED: "failed",
  REFUNDED: "returned",
  REVERSED: "returned"
}

const familiar: ReadonlySet<string> = new Set(
  [orderStates, captureStates, batchStates, itemStates].flatMap((states) => Object.keys(states))
)

/** Statuses on which somebody should look. */
export const isRemarkable = (status: string | null): boolean =>
  status !== null && (!familiar.has(status) || status === "PARTIALLY_REFUNDED")

const moneyOf = (amount: { readonly value: string } | undefined, currency: string | undefined): Money | undefined =>
  amount === undefined || currency === undefined
    ? undefined
    : Option.getOrUndefined(moneyOfMajor(amount.value, currency))

const amounts = (received: Money | undefined, fee: Money | undefined) => ({
  ...(received === undefined ? {} : { received }),
  ...(fee === undefined ? {} : { fee })
})

/** The attempt goes by the order's id: it is the order that is asked about. */
export const captureReport = (orderId: string | null, capture: Capture): Report => {
  const state = captureStates[capture.status] ?? "processing"
  const { paypal_fee: fee } = capture.seller_receivable_breakdown ?? {}
  const why = capture.status_details?.reason
  const taken = state === "completed" ? moneyOf(capture.amount, capture.amount?.currency_code) : undefined
  return new Report({
    state,
    reason: state === "failed" || state === "returned" ? (why ?? capture.status) : null,
    providerPaymentId: orderId,
    providerStatus: capture.status,
    ...(why === undefined ? {} : { providerCode: why }),
    ...amounts(taken, moneyOf(fee, fee?.currency_code))
  })
}

export const itemReport = (batchId: string | null, item: Item): Report => {
  const state = itemStates[item.transaction_status ?? "PENDING"] ?? "processing"
  const amount = item.payout_item?.amount
  const paid = state === "completed" ? moneyOf(amount, amount?.currency) : undefined
  const code = payoutCode(item.errors?.name)
  return new Report({
    state,
    reason:
      state === "failed" || state === "returned" ? (item.errors?.message ?? item.transaction_status ?? null) : null,
    providerPaymentId: batchId,
    providerStatus: item.transaction_status ?? null,
    ...(code === undefined ? {} : { code }),
    ...(item.errors?.name === undefined ? {} : { providerCode: item.errors.name }),
    ...amounts(paid, moneyOf(item.payout_item_fee, item.payout_item_fee?.currency))
  })
}

const pageOf = (links: ReadonlyArray<{ readonly href: string; readonly rel?: string | undefined }> | undefined) =>
  links?.find(({ href, rel }) => (rel === "payer-action" || rel === "approve") && /^https?:\/\//.test(href))?.href

const orderReport = (order: Order): Report => {
  const capture = order.purchase_units?.[0]?.payments?.captures?.[0]
  if (order.status === "COMPLETED" && capture !== undefined) return captureReport(order.id, capture)
  const state = orderStates[order.status] ?? "processing"
  const page = state === "pending" ? pageOf(order.links) : undefined
  return new Report({
    state,
    reason: state === "failed" ? order.status : null,
    providerPaymentId: order.id,
    providerStatus: order.status,
    ...(page === undefined ? {} : { waitsFor: { nextAction: "redirect", actionData: { redirect_url: page } } })
  })
}

const isFine = ({ status }: ProviderReply): boolean => status === 200 || status === 201

const nothingRead = new Unknown({ reason: "its answer cannot be read" })

const acceptedAs = (report: Report): Outcome => {
  const { fee, providerPaymentId, providerStatus, received, state, waitsFor } = report
  if (state === "failed" || state === "returned") {
    return new Declined({ reason: report.reason ?? `it is ${providerStatus ?? state}` })
  }
  return new Accepted({
    state,
    providerPaymentId,
    providerStatus,
    nextAction: waitsFor?.nextAction ?? (state === "pending" ? "check_status" : null),
    actionData: waitsFor?.actionData ?? {},
    providerData: {},
    ...amounts(received, fee)
  })
}

/** An order that waits for its customer and has no page for them can never be paid. */
export const orderOutcome = (reply: ProviderReply): Outcome => {
  if (!isFine(reply)) return refused(reply)
  return Option.match(readOrder(reply.json), {
    onNone: () => nothingRead,
    onSome: (order) => acceptedAs(orderReport(order))
  })
}

/** What an order says of itself, and whether it waits for us to capture it. */
export type Shown = { readonly approved: string } | { readonly said: Enquiry }

export const orderShown =
  (reference: string) =>
  (reply: ProviderReply): Shown => {
    if (reply.status === 404 && problemIn(reply) !== undefined) return { said: new Absent() }
    if (!isFine(reply)) return { said: noVerdict(reply) }
    const order = Option.getOrUndefined(readOrder(reply.json))
    if (order === undefined) return { said: nothingRead }
    if (order.purchase_units?.[0]?.custom_id !== reference) {
      return { said: new Unknown({ reason: "the order of this id is not of this reference" }) }
    }
    return order.status === "APPROVED" ? { approved: order.id } : { said: orderReport(order) }
  }

/** What was captured before is to be looked at once more. */
export type Captured = Enquiry | "captured before"

export const captured =
  (orderId: string) =>
  (reply: ProviderReply): Captured => {
    if (isFine(reply)) {
      return Option.match(readOrder(reply.json), { onNone: () => nothingRead, onSome: orderReport })
    }
    const problem = problemIn(reply)
    const issue = problem?.issue
    if (problem === undefined || reply.status >= 500) return noVerdict(reply)
    if (issue === "ORDER_ALREADY_CAPTURED") return "captured before"
    const waits = issue === "ORDER_NOT_APPROVED" || issue === "PAYER_ACTION_REQUIRED"
    const page = pageOf(problem.links)
    if (waits) {
      return new Report({
        state: "pending",
        reason: null,
        providerPaymentId: orderId,
        providerStatus: "PAYER_ACTION_REQUIRED",
        ...(page === undefined ? {} : { waitsFor: { nextAction: "redirect", actionData: { redirect_url: page } } })
      })
    }
    const end = endBy(issue)
    if (end === undefined || issue === undefined) return new Unknown({ reason: `not captured: ${problem.reason}` })
    return new Report({
      state: "failed",
      reason: problem.reason,
      providerPaymentId: orderId,
      providerStatus: issue,
      providerCode: issue,
      ...end
    })
  }

const batchIn = /\/v1\/payments\/payouts\/([A-Za-z0-9_-]{1,64})(?:$|[?#])/

const isDuplicate = (reply: ProviderReply): boolean => {
  const problem = problemIn(reply)
  return (
    problem !== undefined &&
    reply.status < 500 &&
    (/duplicate/i.test(problem.issue ?? "") || /^sender_batch_id$/i.test(problem.field ?? ""))
  )
}

/** The batch of ours that PayPal has already, where it refused a second one and says which it has. */
export const batchThere = (reply: ProviderReply): Option.Option<string> =>
  isDuplicate(reply)
    ? Option.fromNullable(
        problemIn(reply)
          ?.links.map(({ href }) => batchIn.exec(href)?.[1])
          .find((id) => id !== undefined)
      )
    : Option.none()

export const payoutOutcome = (reply: ProviderReply): Outcome => {
  if (isDuplicate(reply)) return new Unknown({ reason: "it has this batch already, and does not say which" })
  if (!isFine(reply)) return refused(reply)
  return Option.match(readBatch(reply.json), {
    onNone: () => nothingRead,
    onSome: ({ batch_header: { batch_status: status, payout_batch_id: id } }) =>
      acceptedAs(
        new Report({
          state: batchStates[status] ?? "processing",
          reason: null,
          providerPaymentId: id,
          providerStatus: status
        })
      )
  })
}

export const payoutShown =
  (reference: string) =>
  (reply: ProviderReply): Enquiry => {
    if (reply.status === 404 && problemIn(reply) !== undefined) return new Absent()
    if (!isFine(reply)) return noVerdict(reply)
    const batch = Option.getOrUndefined(readBatch(reply.json))
    if (batch === undefined) return nothingRead
    const { batch_status: status, payout_batch_id: id } = batch.batch_header
    const item = batch.items?.[0]
    if (item !== undefined && item.payout_item?.sender_item_id !== reference) {
      return new Unknown({ reason: "the payout of this id is not of this reference" })
    }
    const state = batchStates[status] ?? "processing"
    if (state !== "failed" && item?.transaction_status !== undefined) return itemReport(id, item)
    const why = item?.errors
    const code = payoutCode(why?.name)
    return new Report({
      state,
      reason: state === "failed" ? (why?.message ?? status) : null,
      providerPaymentId: id,
      providerStatus: status,
      ...(code === undefined ? {} : { code }),
      ...(why?.name === undefined ? {} : { providerCode: why.name })
    })
  }

const readToken = Schema.decodeUnknownOption(
  Schema.Struct({ access_token: Schema.String, expires_in: Schema.NumberFromString })
)

export const tokenGranted = (reply: ProviderReply): Either.Either<Granted, Declined> => {
  if (reply.status === 401 || reply.status === 403) return Either.left(credentialsRefused(reply))
  const token = Option.filter(readToken(reply.json), () => isFine(reply))
  return Either.fromOption(
    Option.map(token, ({ access_token, expires_in }) => ({ token: access_token, expiresInSeconds: expires_in })),
    () =>
      new Declined({
        reason: `HTTP ${reply.status}: it gave no access token`,
        code: reply.status === 429 ? "PROVIDER_BUSY" : "PROVIDER_UNAVAILABLE",
        providerCode: `${reply.status}`
      })
  )
}

const readVerification = Schema.decodeUnknownOption(Schema.Struct({ verification_status: Schema.String }))

export const isVerified = (reply: ProviderReply): boolean =>
  isFine(reply) &&
  Option.exists(readVerification(reply.json), ({ verification_status: status }) => status === "SUCCESS")
