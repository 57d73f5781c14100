/** A provider that does what the test says, remembers like one, and counts how often it was asked. */
import { Effect, Schema } from "effect"
import type { ProviderName } from "../../src/domain/Corridor.ts"
import { Absent, Accepted, Declined, type Enquiry, type Outcome, Report, Unknown } from "../../src/domain/Outcome.ts"
import { type AttemptRef, NoProof, type PaymentOrder, type Provider } from "../../src/providers/Provider.ts"

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

export const declines = (reason = "insufficient funds") => new Declined({ reason })

export const isLost = (reason = "connection lost") => new Unknown({ reason })

export const reports = (state: Report["state"]): Report =>
  new Report({ state, reason: null, providerPaymentId: null, providerStatus: state })

export type Act = Outcome | Effect.Effect<Outcome> | ((order: PaymentOrder) => Effect.Effect<Outcome>)

const acted = (act: Act, order: PaymentOrder): Effect.Effect<Outcome> => {
  if (typeof act === "function") return act(order)
  return Effect.isEffect(act) ? act : Effect.succeed(act)
}

const CallbackBody = Schema.parseJson(
  Schema.Struct({
    key: Schema.String,
    reference: Schema.NullOr(Schema.String),
    providerPaymentId: Schema.optionalWith(Schema.NullOr(Schema.String), { default: () => null }),
    state: Schema.NullOr(Schema.Literal("pending", "processing", "completed", "failed", "returned"))
  })
)

export const PROOF = { "x-proof": "genuine" }

export interface Scripted extends Provider {
  /** Every order, in the order in which they came. */
  readonly orders: ReadonlyArray<PaymentOrder>
  readonly enquiries: ReadonlyArray<AttemptRef>
  /** How often it was asked to move money for this payment. */
  readonly timesAsked: (paymentId: string) => number
  /** What it does with orders of this description; the last word on a description counts. */
  readonly on: (description: string, act: Act) => void
  /** What it does with orders that it was told nothing about, from now on. */
  readonly otherwise: (act: Act) => void
  /** What it says of the attempt when asked about it; unless told, what it has on its books. */
  readonly says: (reference: string, enquiry: Enquiry) => void
}

/** It refuses what it was not told about. */
export const scripted = (name: ProviderName, about: Partial<Provider> = {}): Scripted => {
  const orders: Array<PaymentOrder> = []
  const enquiries: Array<AttemptRef> = []
  const acts = new Map<string, Act>()
  let usual: Act = declines("not in the script")
  const books = new Map<string, Enquiry>()
  const write = (reference: string, outcome: Outcome) => {
    if (outcome._tag === "Accepted") books.set(reference, reports(outcome.state))
    if (outcome._tag === "Declined") books.set(reference, reports("failed"))
  }
  return {
    name,
    honoursReference: false,
    provesAbsence: true,
    supports: () => true,
    orders,
    enquiries,
    timesAsked: (paymentId) => orders.filter((order) => order.paymentId === paymentId).length,
    on: (description, act) => void acts.set(description, act),
    otherwise: (act) => void (usual = act),
    says: (reference, enquiry) => void books.set(reference, enquiry),
    initiate: (order) =>
      Effect.suspend(() => {
        orders.push(order)
        return acted(acts.get(order.description ?? "") ?? usual, order)
      }).pipe(Effect.tap((outcome) => Effect.sync(() => write(order.reference, outcome)))),
    enquire: (attempt) =>
      Effect.sync(() => {
        enquiries.push(attempt)
        return books.get(attempt.reference) ?? new Absent()
      }),
    callback: ({ body, headers }) =>
      headers["x-proof"] === PROOF["x-proof"]
        ? Schema.decode(CallbackBody)(body.toString("utf8")).pipe(
            Effect.mapError(() => new NoProof({ message: "not a callback" })),
            Effect.map(({ key, providerPaymentId, reference, state }) => ({
              key,
              attempt: { reference, providerPaymentId },
              report: state === null ? null : reports(state)
            }))
          )
        : Effect.fail(new NoProof({ message: "no proof" })),
    ...about
  }
}
