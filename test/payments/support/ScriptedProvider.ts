/** A provider that does what the test says, remembers like one, and counts how often it was asked. */
import { Effect, Either, Schema } from "effect"
import { moneyOf } from "../../../src/platform/database/Query.ts"
import type { ProviderName } from "../../../src/domain/Corridor.ts"
import { isAnyCurrencyCode } from "../../../src/domain/Currency.ts"
import type { Money } from "../../../src/domain/Money.ts"
import { type Movement, type MovementKind, movementKinds, movementStates } from "../../../src/domain/Movement.ts"
import { Absent, Accepted, Declined, type Enquiry, type Outcome, Report, Unknown } from "../../../src/domain/Outcome.ts"
import {
  type CallbackEvent,
  Check,
  Hint,
  NoProof,
  NotNow,
  Proof,
  VerifiedReport
} from "../../../src/providers/port/Callback.ts"
import type { AttemptContext, PaymentOrder, Provider } from "../../../src/providers/port/Provider.ts"
import { makeFunds, type ProviderFunds } from "./ProviderFunds.ts"

export const accepts = (about: Partial<Accepted> = {}): Accepted =>
  new Accepted({
    state: "processing",
    providerPaymentId: null,
    providerStatus: "taken",
    nextAction: null,
    actionData: {},
    providerData: {},
    ...about
  })

/** Id of its own under which the provider keeps a refused order, if it names one. */
export const declines = (reason = "insufficient funds", providerPaymentId?: string) =>
  new Declined({ reason, ...(providerPaymentId === undefined ? {} : { providerPaymentId }) })

export const isLost = (reason = "connection lost") => new Unknown({ reason })

export const reports = (state: Report["state"]): Report =>
  new Report({ state, reason: null, providerPaymentId: null, providerStatus: state })

/** Report that a payout was paid under this id, or was paid and came back. */
export const paysOut = (id: string, state: "completed" | "returned"): Report => {
  const paid: Movement = { kind: "disbursement", id, amount: null, state: "settled" }
  const back: Movement = { kind: "reinstatement", id: `${id}:returned`, amount: null, state: "settled" }
  return new Report({ ...reports(state), movements: state === "completed" ? [paid] : [paid, back] })
}

/** Report that such a sum has come of an order by now; more may come. */
export const collected = (provider: ProviderName, reference: string, amount: Money): Report =>
  new Report({
    ...reports("completed"),
    movements: [{ kind: "collection", id: `${provider}-${reference}`, amount, state: "settled", isTotal: true }]
  })

export type Act = Outcome | Effect.Effect<Outcome> | ((order: PaymentOrder) => Effect.Effect<Outcome>)

const acted = (act: Act, order: PaymentOrder): Effect.Effect<Outcome> => {
  if (typeof act === "function") return act(order)
  return Effect.isEffect(act) ? act : Effect.succeed(act)
}

const Sum = Schema.Struct({ amount: Schema.String, currency: Schema.String })

const named = <Name extends string>(name: Name, sum: typeof Sum.Type | undefined) =>
  sum !== undefined && isAnyCurrencyCode(sum.currency)
    ? ({ [name]: moneyOf(sum.amount, sum.currency) } as { readonly [Key in Name]: Money })
    : {}

const SaidMovement = Schema.Struct({
  kind: Schema.Literal(...movementKinds),
  id: Schema.String,
  amount: Schema.NullOr(Sum),
  state: Schema.Literal(...movementStates),
  isTotal: Schema.optional(Schema.Literal(true))
})

const movementIn = ({ amount, id, isTotal, kind, state }: typeof SaidMovement.Type): Movement => ({
  kind,
  id,
  state,
  amount: amount !== null && isAnyCurrencyCode(amount.currency) ? moneyOf(amount.amount, amount.currency) : null,
  ...(isTotal === undefined ? {} : { isTotal })
})

/** Sums by which a callback reports money without naming movements. */
interface Sums {
  readonly received?: Money
  readonly taken?: Money
  readonly takenInAll?: Money
  readonly regained?: Money
}

const movedBy = { payin: "collection", payout: "disbursement", refund: "refund" } as const

const kindIn = ({ flow, leg }: AttemptContext): keyof typeof movedBy => {
  if (leg === "refund" || leg === "return") return "refund"
  return leg === "collection" || (leg === "payment" && flow === "inbound") ? "payin" : "payout"
}

/**
 * Movements of a report whose test names none. An order moves its money once, under an id derived from its reference; what
 * it received may grow. What was taken or given back has the id of its event, unless it is a total.
 */
const movementsOf = (
  order: string,
  kind: keyof typeof movedBy,
  state: Report["state"],
  { received, regained, taken, takenInAll }: Sums,
  key: string
): ReadonlyArray<Movement> => {
  const id = received === undefined || received.currency === "KES" ? order : `${order}:${received.currency}`
  const settled = (of: MovementKind, name: string, amount: Money | null): Movement => ({
    kind: of,
    id: name,
    amount,
    state: "settled"
  })
  if (takenInAll !== undefined) return [{ ...settled("reversal", `${id}:taken`, takenInAll), isTotal: true }]
  if (taken !== undefined) return [settled("reversal", key, taken)]
  if (regained !== undefined) return [settled("reinstatement", key, regained)]
  if (state !== "completed" && state !== "returned") return []
  const moved: Movement = {
    ...settled(movedBy[kind], id, received ?? null),
    ...(received === undefined ? {} : { isTotal: true })
  }
  const back = settled(kind === "payin" ? "reversal" : "reinstatement", `${id}:returned`, null)
  return state === "returned" ? [moved, back] : [moved]
}

const CallbackBody = Schema.parseJson(
  Schema.Struct({
    key: Schema.String,
    reference: Schema.NullOr(Schema.String),
    providerPaymentId: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null }),
    state: Schema.NullOr(Schema.Literal("pending", "processing", "completed", "failed", "returned")),
    /** Received amount, where it differs from the requested one. */
    received: Schema.optional(Sum),
    fee: Schema.optional(Sum),
    ids: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
    reason: Schema.optional(Schema.String),
    calledOff: Schema.optional(Schema.Literal(true)),
    taken: Schema.optional(Sum),
    takenInAll: Schema.optional(Sum),
    regained: Schema.optional(Sum),
    /** Instead of those that follow from the rest. */
    movements: Schema.optional(Schema.Array(SaidMovement)),
    about: Schema.optional(Schema.Literal("payin", "payout", "refund")),
    /** Detail of a hint that the account may not look up. */
    unseen: Schema.optional(Schema.String)
  })
)

export const PROOF = { "x-proof": "genuine" }

export interface Scripted extends Provider {
  readonly funds: ProviderFunds
  /** Every order, in the order in which they came. */
  readonly orders: ReadonlyArray<PaymentOrder>
  readonly enquiries: ReadonlyArray<AttemptContext>
  /** Number of orders to move money for this payment. */
  readonly timesAsked: (paymentId: string) => number
  /** Sets the answer to orders with this description; the last call for a description counts. */
  readonly on: (description: string, act: Act) => void
  /** Sets the answer to all other orders, from now on. */
  readonly otherwise: (act: Act) => void
  /** Sets the answer to enquiries about the attempt; by default the order's state at the provider. */
  readonly says: (reference: string, enquiry: Enquiry) => void
}

/** Refuses orders without a script. */
export const scripted = (name: ProviderName, about: Partial<Provider> = {}): Scripted => {
  const orders: Array<PaymentOrder> = []
  const enquiries: Array<AttemptContext> = []
  const acts = new Map<string, Act>()
  let usual: Act = declines("not in the script")
  const books = new Map<string, Enquiry>()
  const funds = makeFunds()
  const references = new Map<string, string>()
  /** Ids of its own that were in a report before their order was known. */
  const early = new Set<string>()
  /** Id under which the provider names the money of an order. */
  const nameOf = (reference: string | undefined, own: string | null): string | undefined => {
    const [ownId = own] = [...early].filter((id) => reference !== undefined && references.get(id) === reference)
    if (reference === undefined && own !== null) early.add(own)
    return reference === undefined || early.has(ownId ?? "") ? (ownId ?? undefined) : reference
  }
  /** Adds the movements, where the test named none and money is reported. By default money came in. */
  const withMovements = <A extends Outcome | Enquiry>(
    reported: A,
    reference: string | undefined,
    {
      about: kind,
      key = "",
      sums = {}
    }: { readonly key?: string; readonly about?: keyof typeof movedBy | undefined; readonly sums?: Sums } = {}
  ): A => {
    if ((reported._tag !== "Accepted" && reported._tag !== "Report") || reported.movements !== undefined)
      return reported
    // Payments, payouts and refunds may have the same ids of their own.
    const isOther =
      kind !== undefined && funds.kindOf(reference ?? "") !== undefined && funds.kindOf(reference!) !== kind
    const order = nameOf(isOther ? undefined : reference, reported.providerPaymentId)
    if (order === undefined) return reported
    const of = kind ?? funds.kindOf(reference ?? "") ?? "payin"
    const movements = movementsOf(`${name}-${order}`, of, reported.state, sums, key).filter(
      ({ amount }) => amount === null || amount.isPositive
    )
    if (movements.length === 0) return reported
    return (
      reported._tag === "Accepted" ? new Accepted({ ...reported, movements }) : new Report({ ...reported, movements })
    ) as A
  }
  const { refund, resume } = about
  const write = (reference: string, outcome: Outcome) => {
    if (outcome._tag === "Accepted") books.set(reference, reports(outcome.state))
    if (outcome._tag === "Declined") books.set(reference, reports("failed"))
  }
  const keep = (order: PaymentOrder, outcome: Outcome) => {
    funds.opened(order.reference, order.money, order.flow === "outbound" ? -1n : 1n)
    if (outcome._tag === "Unknown") return
    const { providerPaymentId: id = null } = outcome
    if (id !== null) references.set(id, order.reference)
    if (outcome._tag === "Accepted") funds.reported(order.reference, outcome.state)
  }
  const applied = (event: CallbackEvent, sums: Sums = {}, isExplicit = false): CallbackEvent => {
    const { about: kind, providerPaymentId, reference } = event.attempt
    const known = reference ?? references.get(providerPaymentId ?? "")
    // Money of another payer under the same name is kept apart.
    const isOther = kind !== undefined && kind !== funds.kindOf(known ?? "")
    if (event._tag === "VerifiedReport" && known !== undefined && !isOther) {
      const { movements = [], state } = event.report
      const { received, regained, taken, takenInAll } = sums
      const named = taken ?? regained
      if (isExplicit) for (const one of movements) funds.stated(known, one)
      else if (takenInAll !== undefined) funds.shrankTo(known, takenInAll)
      else if (named === undefined) funds.reported(known, state, received)
      else if (named.isPositive) funds.shrank(known, event.key, taken ?? named.negate())
    }
    return event
  }
  return {
    name,
    funds,
    honoursReference: false,
    provesAbsence: true,
    takesCardNumbers: true,
    supports: () => Either.void,
    orders,
    enquiries,
    timesAsked: (paymentId) => orders.filter((order) => order.paymentId === paymentId).length,
    on: (description, act) => void acts.set(description, act),
    otherwise: (act) => void (usual = act),
    says: (reference, enquiry) => void books.set(reference, enquiry),
    initiate: (order) =>
      Effect.suspend(() => {
        orders.push(order)
        funds.opened(order.reference, order.money, order.flow === "outbound" ? -1n : 1n)
        return acted(acts.get(order.description ?? "") ?? usual, order)
      }).pipe(
        Effect.map((outcome) => withMovements(outcome, order.reference)),
        Effect.tap((outcome) =>
          Effect.sync(() => {
            write(order.reference, outcome)
            keep(order, outcome)
          })
        )
      ),
    enquire: (attempt) =>
      Effect.sync(() => {
        enquiries.push(attempt)
        const answer = books.get(attempt.reference) ?? new Absent()
        if (answer._tag === "Report" && answer.movements !== undefined) {
          for (const one of answer.movements) funds.stated(attempt.reference, one)
        } else if (answer._tag === "Report") funds.reported(attempt.reference, answer.state)
        return withMovements(answer, attempt.reference, { about: kindIn(attempt) })
      }),
    callback: ({ body, headers }) =>
      Effect.gen(function* () {
        const proof = yield* Proof.from(Check.same(PROOF["x-proof"], headers["x-proof"]), "no proof")
        if (headers["x-look-up"] === "fails") return yield* new NotNow({ message: "it cannot be looked up", proof })
        const said = yield* Effect.mapError(
          Schema.decode(CallbackBody)(body.toString("utf8")),
          () => new NoProof({ message: "not a callback" })
        )
        const {
          about: kind,
          calledOff,
          fee,
          ids,
          key,
          movements,
          providerPaymentId,
          reason = null,
          received,
          reference,
          regained,
          state,
          taken,
          takenInAll,
          unseen
        } = said
        const attempt = { reference, providerPaymentId, ...(kind === undefined ? {} : { about: kind }) }
        if (state === null) {
          const reported = unseen === undefined ? {} : { unverified: { key, detail: unseen, proof } }
          return { events: [applied(new Hint({ attempt, ...reported }))] }
        }
        const report = new Report({
          state,
          reason,
          providerPaymentId,
          providerStatus: state,
          ...(calledOff === undefined ? {} : { calledOff }),
          ...named("fee", fee),
          ...(ids === undefined ? {} : { providerData: ids }),
          ...(movements === undefined ? {} : { movements: movements.map((one) => movementIn(one)) })
        })
        const known = reference ?? references.get(providerPaymentId ?? "")
        const sums = {
          ...named("received", received),
          ...named("taken", taken),
          ...named("takenInAll", takenInAll),
          ...named("regained", regained)
        }
        const reported = withMovements(report, known, { key, about: kind, sums })
        return {
          events: [
            applied(new VerifiedReport({ key, attempt, report: reported, proof }), sums, movements !== undefined)
          ]
        }
      }),
    ...about,
    ...(refund === undefined
      ? {}
      : {
          refund: (order) =>
            Effect.map(refund(order), (outcome) => withMovements(outcome, order.reference, { about: "refund" }))
        }),
    ...(resume === undefined
      ? {}
      : {
          resume: (attempt, query) =>
            Effect.map(resume(attempt, query), (answer) =>
              withMovements(answer, attempt.reference, { about: kindIn(attempt) })
            )
        })
  }
}
