/** Reads payments, their timelines, and the queue of items that need a decision. */
import { Context, Effect, Layer, Option, Schema, Order } from "effect"
import type { OrgId, PaymentId, TransactionId } from "../../domain/Ids.ts"
import type { OperatorItem, TimelineItem, OperatorItem as WireItem } from "../../contract/api/PaymentsApi.ts"
import { InitiationResult } from "../../contract/api/PaymentsInitApi.ts"
import { RampResult } from "../../contract/api/RampsApi.ts"
import type { Permit } from "../../domain/Access.ts"
import { isCountryCode } from "../../domain/Country.ts"
import { kindOf, type AccountKind } from "../../domain/Ledger.ts"
import { stringifyWire } from "../../domain/Decimal.ts"
import type { NotFound } from "../../domain/Failure.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { orDefect, type Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Window, Scope } from "../../platform/database/Query.ts"
import { rampResponse, initiationResponse } from "../initiate/InitiationResponse.ts"
import { WebhookLog } from "../../webhooks/delivery/WebhookLog.ts"
import { type Payment, type OpenItem, type Attempt, isOpen } from "../store/Payment.ts"
import { orNotFound, type PaymentFilter, PaymentStore, type TextFilter } from "../store/PaymentStore.ts"
import { isRamp } from "../route/RampPayout.ts"
import { eventTimesOf, timelineOf } from "./PaymentRecord.ts"
import { deadLettersCounted } from "../../domain/policies/WebhookPolicies.ts"
import type { WebhookIssue } from "../../webhooks/delivery/DeliveryStore.ts"
import { isBuiltInRail } from "../../domain/Corridor.ts"
import type { Enquiry } from "../../domain/Outcome.ts"
import { Providers } from "../../providers/port/Provider.ts"
import { ABANDONED_REASON } from "../../providers/sandbox/SimulatorCustomer.ts"
import { attemptContext } from "../route/BuildOrder.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** Answer that a feature with accounts of its own gives to a repeated request for a payment. */
export type ReplayedAnswer = (payment: Payment) => Stored<Option.Option<string>>

/** Answers to replayed requests by the kind of the paying account; none: the usual answer. */
export class ReplayedAnswers extends Context.Tag("corridor/ReplayedAnswers")<
  ReplayedAnswers,
  Readonly<Partial<Record<AccountKind, ReplayedAnswer>>>
>() {}

/** Items that need a decision, from payments, webhooks and features above payments, as one list. */
type Item = typeof WireItem.Type

/** An item of a feature above payments. */
export type OtherItem = Pick<Item, "item_id" | "kind" | "org_id" | "escrow_id" | "party_id" | "detail" | "created_at">

/** Newest first, from the window's position. */
export type OtherItemsOf = (scope: Scope, window: Window) => Stored<ReadonlyArray<OtherItem>>

export class OtherItems extends Context.Tag("corridor/OtherItems")<OtherItems, OtherItemsOf>() {}

const noPayment = { payment_id: null, attempt_id: null }
const noWebhook = { webhook_id: null, delivery_id: null, dead_letters: null }
const noEscrow = { escrow_id: null, party_id: null }

const ofPayment = ({ attempt_id, detail, item_id, kind, opened_at, org_id, payment_id }: OpenItem): Item => {
  const about = { item_id, kind, org_id, payment_id, attempt_id, created_at: opened_at }
  return { ...about, ...noWebhook, ...noEscrow, detail }
}

const ofOther = (item: OtherItem): Item => ({ ...item, ...noPayment, ...noWebhook })

const wordsOf = ({ dead_letters, endpoint_url, kind, reason }: WebhookIssue): string => {
  if (kind === "disabled_endpoint") return `${endpoint_url} is disabled. ${reason ?? "Its owner did it."}`
  const atLeast = dead_letters === deadLettersCounted ? " or more" : ""
  const many = dead_letters === 1 ? "1 delivery" : `${dead_letters}${atLeast} deliveries`
  return `${many} to ${endpoint_url} failed for good; of the oldest: ${reason ?? "no reason is known"}.`
}

const ofWebhook = (issue: WebhookIssue): Item => {
  const { created_at, dead_letters, delivery_id, item_id, kind, org_id, webhook_id } = issue
  const about = { item_id, kind, org_id, webhook_id, delivery_id, dead_letters, created_at }
  return { ...about, ...noPayment, ...noEscrow, detail: wordsOf(issue) }
}

const newestFirst = Order.reverse(
  Order.combine(
    Order.mapInput(Order.Date, (item: Item) => item.created_at),
    Order.mapInput(Order.string, (item: Item) => item.item_id)
  )
)

/** All are in the same order and begin after the same position, so the first of each are the first of all. */
const queueOf = (
  items: ReadonlyArray<OpenItem>,
  issues: ReadonlyArray<WebhookIssue>,
  others: ReadonlyArray<OtherItem>,
  take: number
): ReadonlyArray<Item> =>
  [...items.map(ofPayment), ...issues.map(ofWebhook), ...others.map(ofOther)].toSorted(newestFirst).slice(0, take)

/** Part of a search that a position belongs to. */
const EXACT = "exact"
const TEXT = "text"
type SearchPart = typeof EXACT | typeof TEXT

/** After a payment of a part; empty: at the start of the part. */
type SearchPosition = readonly [part: SearchPart, at: string, id: string]

interface FoundPayment {
  readonly part: SearchPart
  readonly payment: Payment
}

interface SearchPage {
  readonly found: ReadonlyArray<FoundPayment>
  readonly next: Option.Option<SearchPosition>
}

const inPart =
  (part: SearchPart) =>
  (payment: Payment): FoundPayment => ({ part, payment })

export const positionOf = ({ part, payment }: FoundPayment): SearchPosition => [
  part,
  payment.created_at.toISOString(),
  payment.payment_id
]

/** Time back to which references and names are searched; none: that part has not begun. */
export const searchedTo = ([part, at]: SearchPosition): Option.Option<Date> =>
  part === TEXT && at !== "" ? Option.some(new Date(at)) : Option.none()

const lastOf = <A>(items: ReadonlyArray<A>): Option.Option<A> => Option.fromNullable(items.at(-1))

const encodeResult = Schema.encodeSync(InitiationResult)
const encodeRamp = Schema.encodeSync(RampResult)

export class Payments extends Context.Tag("corridor/Payments")<
  Payments,
  {
    readonly find: (permit: Permit<"any">, paymentId: PaymentId) => Stored<Payment, NotFound>
    readonly findByTransaction: (permit: Permit<"any">, transactionId: TransactionId) => Stored<Payment, NotFound>
    /** Answer to a repeated request whose first answer was lost in a crash, from the payment's present state. */
    readonly answerTo: (orgId: OrgId, paymentId: PaymentId, operation: string) => Stored<string>
    readonly timeline: (
      permit: Permit<"any">,
      paymentId: PaymentId
    ) => Stored<ReadonlyArray<typeof TimelineItem.Type>, NotFound>
    readonly list: (
      permit: Permit<"transactions">,
      filter: PaymentFilter,
      window: Window
    ) => Stored<ReadonlyArray<Payment>>
    /** First exact matches, then payments whose reference or name contains the text; both newest first. */
    readonly search: (
      permit: Permit<"transactions">,
      filter: TextFilter,
      from: Option.Option<SearchPosition>,
      take: number
    ) => Stored<SearchPage>
    /** Items that need a decision, webhook endpoints included. */
    readonly queue: (permit: Permit<"operations">, window: Window) => Stored<ReadonlyArray<typeof OperatorItem.Type>>
  }
>() {
  static readonly layer = Layer.effect(
    Payments,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const organizations = yield* Organizations
      const webhooks = yield* WebhookLog
      const answers = yield* ReplayedAnswers
      const otherItems = yield* OtherItems

      const find = (permit: Permit<"any">, id: PaymentId) => orNotFound(store.find(permit.scope, id))

      /** Where a phone number that is looked for may be from. */
      const homeOf = Option.match({
        onNone: () => Effect.succeed(undefined),
        onSome: (orgId: OrgId) =>
          Effect.map(organizations.find(orgId), (found) => {
            const country = Option.getOrUndefined(found)?.country
            return isCountryCode(country) ? country : undefined
          })
      })

      return {
        find,
        findByTransaction: (permit, id) => orNotFound(store.findByTransaction(permit.scope, id)),
        answerTo: Effect.fnUntraced(function* (orgId, id, operation) {
          const payment = yield* orDefect(orNotFound(store.find(Option.some(orgId), id)))
          // Whatever an action is done to, it is answered alike; only what made it has words of its own.
          const isAction = operation.endsWith(`/${id}/action`)
          if (isRamp(payment) && !isAction) return stringifyWire(encodeRamp(rampResponse(payment)))
          const answerOf = payment.funding === null || isAction ? undefined : answers[kindOf(payment.funding)]
          const answer = answerOf === undefined ? Option.none() : yield* answerOf(payment)
          return Option.getOrElse(answer, () => stringifyWire(encodeResult(initiationResponse(payment))))
        }),
        timeline: traced("Payments.timeline")(function* (permit, id) {
          const payment = yield* find(permit, id)
          const history = yield* store.history(payment)
          return timelineOf(
            payment,
            history,
            yield* webhooks.deliveriesOf(permit, payment, eventTimesOf(payment, history))
          )
        }),
        list: ({ scope }, filter, window) =>
          filter.customer === undefined
            ? store.list(scope, filter, window)
            : Effect.flatMap(homeOf(scope), (home) => store.list(scope, { ...filter, home }, window)),
        search: traced("Payments.search")(function* ({ scope }, filter, from, take) {
          const home = yield* homeOf(scope)
          const asked = { ...filter, home }
          const [part, ...position] = Option.getOrElse(from, () => [EXACT, "", ""] as const)
          const after = Option.liftPredicate(position, ([at]) => at !== "")
          const exact =
            part === EXACT ? (yield* store.list(scope, asked, { after, take: take + 1 })).map(inPart(EXACT)) : []
          const room = take - exact.length
          if (room < 0)
            return { found: exact.slice(0, take), next: Option.map(lastOf(exact.slice(0, take)), positionOf) }
          if (room === 0) return { found: exact, next: Option.some([TEXT, "", ""] as const) }
          const window = { after: part === TEXT ? after : Option.none(), take: room }
          const { next, payments } = yield* store.searchText(scope, asked, window)
          return {
            found: [...exact, ...payments.map(inPart(TEXT))],
            next: Option.map(next, ([at, id]): SearchPosition => [TEXT, at, id])
          }
        }),
        queue: traced("Payments.queue")(function* (permit, window) {
          const items = yield* store.openItems(permit.scope, window)
          const others = yield* otherItems(permit.scope, window)
          return queueOf(items, yield* webhooks.issues(permit, window), others, window.take)
        })
      }
    })
  )
}

export const isAbandoned = (signal: Enquiry | undefined): boolean =>
  signal?._tag === "Report" && signal.state === "failed" && signal.reason === ABANDONED_REASON

/**
 * Reads a payment for its customer's page. The page's address is the credential: it names one payment, of any
 * organisation, and callers have checked it.
 */
export class CustomerPayments extends Context.Tag("corridor/CustomerPayments")<
  CustomerPayments,
  {
    readonly find: (paymentId: PaymentId) => Stored<Option.Option<Payment>>
    /** The attempt that is under way. */
    readonly openAttempt: (payment: Payment) => Stored<Option.Option<Attempt>>
    /** Report of a built-in simulator about an attempt; only simulators use the built-in checkout. */
    readonly simulatorReport: (payment: Payment, attempt: Attempt) => Stored<Enquiry | undefined>
    /** Whether an unpaid payment was cancelled, by or for its customer, rather than declined. */
    readonly wasCalledOff: (payment: Payment) => Stored<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    CustomerPayments,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const providers = yield* Providers

      const simulatorReport = Effect.fnUntraced(function* (payment: Payment, attempt: Attempt) {
        const { account, outcome, provider } = attempt
        if (outcome !== "accepted" || !isBuiltInRail(provider)) return undefined
        const rail = yield* providers.find(provider, account)
        return rail === undefined ? undefined : yield* rail.enquire(attemptContext(payment, attempt, []))
      })

      return {
        find: (paymentId) => store.find(Option.none(), paymentId),
        openAttempt: ({ payment_id }) =>
          Effect.map(store.attemptsOf(payment_id), (attempts) => Option.fromNullable(attempts.find(isOpen))),
        simulatorReport,
        wasCalledOff: Effect.fnUntraced(function* (payment) {
          const { payment_id, status } = payment
          if (status !== "failed") return status === "canceled"
          const attempts = yield* store.attemptsOf(payment_id)
          return yield* Effect.exists(attempts, (attempt) => Effect.map(simulatorReport(payment, attempt), isAbandoned))
        })
      }
    })
  )
}
