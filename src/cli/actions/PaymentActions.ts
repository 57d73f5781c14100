/** `corridor payments` and `corridor queue` */
import { isFinal, paymentStatuses } from "../../domain/PaymentStatus.ts"
import { type Answer, call, callAll, orNotFound, type Refused } from "../shared/ApiClient.ts"
import { framed, type TextLayout, tableLayout, minute, printable, properties } from "../shared/Table.ts"
import { BigDecimal, Effect, Either, Option, Schema } from "effect"
import { Flow } from "../../domain/Corridor.ts"
import { roundToSignificantDigits, toPlainText, type WireNumber } from "../../domain/Decimal.ts"
import { onServer, onTarget } from "../client/RunCommand.ts"
import { isLocal } from "../shared/CommandTarget.ts"
import type { paymentDecision, paymentFilters, paymentRefund } from "../commands/PaymentCommands.ts"
import type { Input } from "../shared/Command.ts"
import {
  amountIn,
  decodeInput,
  decodeOption,
  givenFields,
  type IdInput,
  type JsonInput,
  type OrgInput,
  Reason,
  refuse,
  wireNumber
} from "../shared/CommandInput.ts"

type Payment = Answer<"payments", "byId">

type Summary = Pick<
  Payment,
  | "payment_id"
  | "org_id"
  | "status"
  | "amount"
  | "refunded_amount"
  | "refunds"
  | "currency"
  | "direction"
  | "payment_method"
  | "country"
  | "provider"
  | "comments"
  | "client_reference"
  | "payer_details"
  | "target_amount"
  | "target_currency"
  | "recipient_info"
> & { readonly failure: { readonly provider: string | null } | null }

const amountOf = ({ amount, currency }: Pick<Summary, "amount" | "currency">): string => `${amount.text} ${currency}`

/** Six significant digits: enough to recognise a rate. */
const divided = (a: string, b: string): string | null => {
  const rate = Option.flatMap(Option.all([BigDecimal.fromString(a), BigDecimal.fromString(b)]), ([x, y]) =>
    BigDecimal.divide(x, y)
  )
  return Option.getOrNull(Option.map(rate, (one) => toPlainText(roundToSignificantDigits(one, 6, "half-even"))))
}

const payerText = (details: unknown): string | null => {
  if (typeof details !== "object" || details === null) return null
  const { email, name, phone } = details as Readonly<Record<string, unknown>>
  const known = [name, phone, email].filter((part) => typeof part === "string" && part !== "")
  return known.length === 0 ? null : known.join(", ")
}

/** The recipient of a payout: name, and the number or account that is paid. */
const beneficiaryText = (info: Summary["recipient_info"]): string | null => {
  const { bank_details, fname, lname, momo_details, wallet_details } = info as Readonly<Record<string, unknown>>
  const parts = Object.assign({}, bank_details, momo_details, wallet_details) as Readonly<Record<string, unknown>>
  const name = [fname, lname].filter((part) => typeof part === "string").join(" ")
  const known = [name, parts["account_number"], parts["phone_number"], parts["address"], parts["email"]].filter(
    (part) => typeof part === "string" && part !== ""
  )
  return known.length === 0 ? null : known.join(", ")
}

/** Target amount of a conversion, and the rate that follows from both amounts. */
const targetText = ({ amount, currency, target_amount, target_currency }: Summary): string | null => {
  if (target_amount === null || target_currency === null || target_currency === currency) return null
  const rate = divided(target_amount.text, amount.text)
  return `${target_amount.text} ${target_currency}${rate === null ? "" : `, at about ${rate}`}`
}

/** The provider that holds the payment, or declined it last. */
const askedProvider = ({ failure, provider }: Summary): string | null => provider ?? failure?.provider ?? null

const refundText = ({ amount, currency, reason, requested_by, state }: Summary["refunds"][number]): string =>
  [
    `${amount.text} ${currency} ${state}`,
    ...(requested_by === null ? [] : [`requested by ${requested_by}`]),
    ...(reason === null ? [] : [reason])
  ].join(", ")

export const summaryText = (payment: Summary): string => {
  const target = targetText(payment)
  return properties([
    ["Payment", payment.payment_id],
    ["Organisation", payment.org_id],
    ["Status", payment.status],
    ["Amount", amountOf(payment)],
    ...(target === null ? [] : [["Target", target] as const]),
    ["Refunded", `${payment.refunded_amount.text} ${payment.currency}`],
    ...payment.refunds.map((refund) => ["Refund", refundText(refund)] as const),
    ["Reference", payment.client_reference ?? "none"],
    payment.direction === "outbound"
      ? ["Beneficiary", beneficiaryText(payment.recipient_info) ?? "not said"]
      : ["Payer", payerText(payment.payer_details) ?? "not said"],
    ["Direction", `${payment.direction}, ${payment.payment_method}, ${payment.country}`],
    ["Provider", askedProvider(payment) ?? (isFinal(payment.status) ? "none" : "none yet")],
    ["Comments", payment.comments ?? "none"]
  ])
}

type TimelineItem = Answer<"payments", "timeline">["data"]["items"][number]

const wordsOf = (item: TimelineItem): string => {
  switch (item.kind) {
    case "status":
      return `${item.from ?? "new"} -> ${item.to} (${item.cause})`
    case "attempt":
      return `${item.provider} ${item.leg}: ${item.outcome ?? "no answer yet"}${item.reason === null ? "" : `, ${item.reason}`}${item.latency_ms === null ? "" : `, after ${item.latency_ms} ms`}`
    case "callback":
      return `${item.provider} says ${item.report}: ${item.effect}`
    case "operator":
      return `${item.item}: ${item.detail}${item.closed_by === null ? "" : ` Closed by ${item.closed_by}.`}`
    case "movement":
      return `${item.movement} of ${item.amount.text} ${item.currency} at ${item.provider}, ${item.state}: ${item.movement_id}`
    case "allocation":
      return `${item.amount.text} ${item.currency} to the organisation${item.by === null ? "" : ` by ${item.by}`}: ${item.note}`
    case "reserve":
      return `${item.amount.text} ${item.currency} ${item.change === "held" ? `held in reserve until ${item.release_at}` : "released from the reserve"}`
    case "delivery":
      return `${item.event_type} to ${item.webhook_id}: ${item.status}, attempts: ${item.attempts}${item.last_error === null ? "" : `, ${item.last_error}`}`
  }
}

const paymentText = (payment: Summary, items: ReadonlyArray<TimelineItem>): TextLayout => {
  const rows = items.map((item) => [item.at, item.kind, wordsOf(item)])
  return framed(`${summaryText(payment)}\n\n`, tableLayout(["AT", "WHAT", ""], rows, "Nothing has happened to it."))
}

export const paymentTable = (payments: ReadonlyArray<Summary & { readonly created_at: string }>): TextLayout =>
  tableLayout(
    ["ID", "STATUS", "AMOUNT", "DIRECTION", "METHOD", "PROVIDER", "REFERENCE", "CREATED"],
    payments.map((payment) => [
      payment.payment_id,
      payment.status,
      amountOf(payment),
      payment.direction,
      payment.payment_method,
      askedProvider(payment),
      payment.client_reference,
      minute(payment.created_at)
    ]),
    "No payments here.",
    ["REFERENCE", "CREATED", "DIRECTION", "PROVIDER", "METHOD"]
  )

/** Says how far back a search has read, where older payments are left. */
const searchedTable = (table: TextLayout, searchedTo: string | null | undefined): TextLayout =>
  searchedTo === undefined || searchedTo === null
    ? table
    : framed(`Names and references are searched back to ${minute(searchedTo)}.\n`, table)

type QueueItem = Pick<
  Answer<"payments", "queue">["data"][number],
  "created_at" | "item_id" | "kind" | "payment_id" | "webhook_id" | "escrow_id" | "detail"
>

/** Applications and rates have lists of their own. */
const NOTHING_WAITS =
  'No payment, endpoint or escrow needs a decision. KYB applications: "corridor kyb list --status pending". Rates: "corridor rates list".'

export const queueTable = (items: ReadonlyArray<QueueItem>): TextLayout =>
  tableLayout(
    ["SINCE", "KIND", "ABOUT", "WHAT"],
    items.map((item) => [
      minute(item.created_at),
      item.kind,
      item.kind === "incoming_transfer" ? item.item_id : (item.payment_id ?? item.webhook_id ?? item.escrow_id),
      item.detail
    ]),
    NOTHING_WAITS,
    ["SINCE"]
  )

type DecidableItem = Answer<"resolutions", "decisions">["data"]["items"][number]
type PossibleDecision = DecidableItem["decisions"][number]

/** Other decisions name both balances in their own sentence. */
const unchangedBalance = ({ after, before, currency }: PossibleDecision): string =>
  before === null || after === null || before.text !== after.text
    ? ""
    : ` (the organisation's balance stays ${before.text} ${currency})`

const commandOf = (paymentId: string, { item_id }: DecidableItem, decision: PossibleDecision) => {
  const { action, movement_id, outcome } = decision
  const what = action === "give_back" ? `refund ${paymentId}` : `resolve ${paymentId} --as ${outcome}`
  const about = `${item_id === null ? "" : ` --item ${item_id}`}${movement_id === null ? "" : " --movement ID --amount AMOUNT"}`
  return `corridor payments ${what}${about} --reason TEXT`
}

const NOTHING_TO_DECIDE =
  "Nothing of this payment waits for a decision. An outcome that is still polled can be resolved already: --as completed or --as failed, with --reason TEXT."

/** Each open item, and below it each possible decision with its command. */
const decisionsText = (paymentId: string, items: ReadonlyArray<DecidableItem>): string =>
  items.length === 0
    ? NOTHING_TO_DECIDE
    : items
        .map((item) =>
          [
            printable(`${item.kind}: ${item.detail}`),
            ...item.decisions.flatMap((decision) => [
              `  ${printable(decision.says)}${unchangedBalance(decision)}`,
              `    ${commandOf(paymentId, item, decision)}`
            ])
          ].join("\n")
        )
        .join("\n\n")

const onPayments = onTarget("payments")
const onSettlements = onTarget("settlements")

const CANDIDATES = 10

const findByReference = Effect.fnUntraced(function* (given: string) {
  const { data } = yield* call("payments", "transactions", {
    urlParams: { reference: given, limit: CANDIDATES + 1 }
  })
  const [payment, ...others] = data
  if (payment === undefined) return yield* refuse(`There is no payment with this id or reference: ${given}.`)
  if (others.length === 0) return payment
  const ids = data.slice(0, CANDIDATES).map(({ payment_id }) => payment_id)
  const more = data.length > CANDIDATES ? " and others" : ""
  return yield* refuse(`${given} matches several payments, write more of it: ${ids.join(", ")}${more}.`)
})

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const isNotFound = ({ status }: Refused): boolean => status === 404

/** A whole id needs no right to list payments. */
const findPayment = (given: string) =>
  UUID.test(given)
    ? call("payments", "byId", { path: { payment_id: given } }).pipe(
        Effect.catchIf(isNotFound, () => call("payments", "byTransaction", { path: { transaction_id: given } })),
        Effect.catchIf(isNotFound, () => findByReference(given))
      )
    : findByReference(given)

const showOne = onPayments(
  Effect.fnUntraced(function* ({ id }: IdInput) {
    const payment = yield* findPayment(id)
    const { data } = yield* call("payments", "timeline", { path: { payment_id: payment.payment_id } })
    return { data: { ...payment, timeline: data.items }, ...paymentText(payment, data.items) }
  })
)

export const show = (input: IdInput) =>
  Effect.zipRight(decodeOption("ID", Schema.NonEmptyString, input.id), showOne(input))

const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const Filter = Schema.Struct({
  status: maybe(Schema.Literal(...paymentStatuses)),
  direction: maybe(Flow),
  reference: maybe(Schema.NonEmptyString),
  search: maybe(Schema.NonEmptyString),
  org: maybe(Schema.NonEmptyString),
  limit: Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, 100)).annotations({
    message: () => ({ message: "is not a whole number from 1 to 100", override: true })
  })
})

const listSome = onPayments(
  Effect.fnUntraced(function* ({ json: _json, org, ...filter }: typeof Filter.Type & JsonInput) {
    const { data, meta } = yield* call("payments", "transactions", { urlParams: { ...filter, org_id: org } })
    const searchedTo = meta.has_more ? meta.searched_to : undefined
    return { data, ...searchedTable(paymentTable(data), searchedTo) }
  })
)

export const list = ({ json, limit, ...filters }: Input<typeof paymentFilters>) =>
  Effect.flatMap(decodeInput(Filter, { ...givenFields(filters), limit } as typeof Filter.Encoded), (filter) =>
    listSome({ ...filter, json })
  )

export const queue = onPayments(
  Effect.fnUntraced(function* ({ org }: OrgInput) {
    const data = yield* callAll("payments", "queue", { urlParams: { org_id: Option.getOrUndefined(org) } })
    return { data, ...queueTable(data) }
  })
)

const noSuchPayment = (given: string) => orNotFound(`There is no payment with the id ${given}.`)

const amountFrom = (given: string, expected: string) =>
  Either.match(amountIn(given, expected), {
    onLeft: (why) => refuse(`--amount ${why}.`),
    onRight: (amount) => Effect.succeed(wireNumber(amount))
  })

type ResolveInput = Input<typeof paymentDecision>

const listDecisions = onSettlements(
  Effect.fnUntraced(function* ({ id, item }: ResolveInput) {
    const { data } = yield* noSuchPayment(id)(call("resolutions", "decisions", { path: { payment_id: id } }))
    const items = data.items.filter(({ item_id }) => Option.isNone(item) || item_id === item.value)
    return { data: items, text: decisionsText(id, items) }
  })
)

interface Decision {
  readonly outcome: "completed" | "failed"
  readonly reason: string
  readonly item_id?: string
  readonly movement_id?: string
  readonly amount?: WireNumber
}

const resolveOne = onSettlements(
  Effect.fnUntraced(function* ({ id, payload }: IdInput & { readonly payload: Decision }) {
    const data = yield* noSuchPayment(id)(call("resolutions", "resolve", { path: { payment_id: id }, payload }))
    return { data, text: `Settled by hand.\n${summaryText(data)}` }
  })
)

/** Without `--as`: list the possible decisions. */
export const resolve = Effect.fnUntraced(function* (input: ResolveInput) {
  if (Option.isNone(input.as)) {
    if (Option.isSome(input.reason)) return yield* refuse("--as: say completed or failed, or leave --reason out.")
    return yield* listDecisions(input)
  }
  if (Option.isNone(input.reason)) return yield* refuse("--reason: is required with --as. State the evidence.")
  const reason = yield* decodeOption("--reason", Reason, input.reason.value)
  const amount = yield* Effect.transposeMapOption(input.amount, (given) =>
    amountFrom(given, "a decimal number such as 500.00")
  )
  const given = givenFields({ item_id: input.item, movement_id: input.movement, amount })
  yield* resolveOne({ ...input, payload: { outcome: input.as.value, reason, ...given } })
})

type RefundInput = Input<typeof paymentRefund>

const giveBack = onSettlements(
  Effect.fnUntraced(function* ({ id, item, reason }: RefundInput) {
    const payload = { reason, ...givenFields({ item_id: item }) }
    const data = yield* noSuchPayment(id)(call("resolutions", "giveBack", { path: { payment_id: id }, payload }))
    return { data, text: `Returned.\n${summaryText(data)}` }
  })
)

interface PayerRefund extends IdInput {
  readonly reason: string
  readonly amount?: WireNumber
}

/** Refunds a completed payin to its payer, in whole or in part. */
const refundPayer = onServer(
  Effect.fnUntraced(function* ({ id, json: _json, ...terms }: PayerRefund) {
    const path = { payment_id: id }
    const payload = { action: "refund" as const, ...terms }
    yield* call("paymentsInit", "action", { path, payload })
    const data = yield* call("payments", "byId", { path })
    return { data, text: `The refund is under way.\n${summaryText(data)}` }
  })
)

export const refund = Effect.fnUntraced(function* (input: RefundInput) {
  if (Option.isSome(input.amount) && (yield* isLocal)) {
    return yield* refuse(
      "--amount: a payer is refunded by API, in a person's own name: add --url and --token (or --api-key)."
    )
  }
  const reason = yield* decodeOption("--reason", Reason, input.reason)
  if (Option.isNone(input.amount)) return yield* giveBack({ ...input, reason })
  if (Option.isSome(input.item))
    return yield* refuse("--item cannot be combined with --amount: a refund of the payer belongs to no item.")
  const { id, json } = input
  const given = input.amount.value
  const amount = given === "all" ? {} : { amount: yield* amountFrom(given, "a decimal number such as 500.00, or all") }
  yield* refundPayer({ id, json, reason, ...amount })
})
