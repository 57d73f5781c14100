/** Payments, attempts and changes for the store suites, with nothing in them that a test did not ask for. */
import { Clock, Effect } from "effect"
import type { AttemptId } from "../../../src/domain/Ids.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import type { MovementToWrite } from "../../../src/domain/Movement.ts"
import type { PaymentStatus } from "../../../src/domain/PaymentStatus.ts"
import type { Attempt, OperatorItem, Payment, StoredCallback } from "../../../src/payments/store/Payment.ts"
import type { StoredEvent } from "../../../src/webhooks/Webhook.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { newMember, newOrganization, nextId } from "../../support/StoreFixtures.ts"
import type { AttemptPatch, Change, NewAttempt } from "../../../src/payments/store/Change.ts"

export const shillings = (minor: bigint) => new Money({ currency: CurrencyCode.make("KES"), minor })

export const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis))

export const newOwner = Effect.gen(function* () {
  const { org_id } = yield* newOrganization()
  const { user_id } = yield* newMember(org_id, "org-admin")
  return { org_id, user_id }
})

type Owner = Effect.Effect.Success<typeof newOwner>

type Own = "payment_id" | "transaction_id" | "org_id" | "user_id" | "created_at" | "updated_at"

/** Everything but what makes it one of its own. */
export const blankPayment: Omit<Payment, Own> = {
  status: "initiated",
  version: 1,
  direction: "inbound",
  payment_method: "card",
  country: CountryCode.make("KE"),
  amount: shillings(150_000n),
  target: shillings(150_000n),
  org_rate_id: null,
  client_reference: null,
  description: null,
  beneficiary_id: null,
  payer_details: {},
  mobile_money_details: {},
  card_details: {},
  bank_account: {},
  recipient_info: {},
  metadata: {},
  user_metadata: {},
  webhook_metadata: {},
  return_url: null,
  provider: null,
  account: null,
  provider_payment_id: null,
  provider_status: null,
  provider_data: {},
  next_action: null,
  action_data: {},
  comments: null,
  failure: null,
  refunds: [],
  refunded: new Money({ currency: "KES" as never, minor: 0n }),
  taken_by: null,
  payout_id: null,
  otp_failures: 0,
  fee_ids: [],
  total_fees: null,
  funding: null,
  holds: false,
  ramp: null,
  reserve: null,
  expires_at: null
}

export const makePayment = (owner: Owner, about: Partial<Payment> = {}) =>
  Effect.gen(function* () {
    const at = yield* now
    const payment: Payment = {
      ...blankPayment,
      payment_id: yield* nextId,
      transaction_id: yield* nextId,
      ...owner,
      created_at: at,
      updated_at: at,
      ...about
    }
    return payment
  })

export const makeAttempt = (about: Partial<NewAttempt> = {}) =>
  Effect.gen(function* () {
    const attempt: NewAttempt = {
      attempt_id: yield* nextId,
      leg: "payment",
      provider: "stripe",
      config_id: null,
      account: null,
      own_account: false,
      started_at: yield* now,
      enquire_in: 45,
      ...about
    }
    return attempt
  })

/** A payment that was just created with its first attempt. */
export const newPayment = (owner: Owner, about: Partial<Payment> = {}, attemptAbout: Partial<NewAttempt> = {}) =>
  Effect.gen(function* () {
    const store = yield* PaymentStore
    const payment = yield* makePayment(owner, about)
    const attempt = yield* makeAttempt(attemptAbout)
    yield* store.create({ payment, attempt })
    return { payment, attempt }
  })

export const answer = (attempt: Pick<Attempt, "attempt_id">, about: Partial<AttemptPatch> = {}) =>
  Effect.map(now, (answered_at): AttemptPatch => ({
    attempt_id: attempt.attempt_id,
    outcome: "accepted",
    reason: null,
    provider_payment_id: null,
    answered_at,
    enquire_in: null,
    ...about
  }))

export const changeTo = (payment: Payment, status: PaymentStatus, about: Partial<Change> = {}) =>
  Effect.map(now, (at): Change => ({ payment, status, patch: {}, cause: "a test", at, events: [], ...about }))

/** Settled transfer of stripe's, for the whole of a payment by default. */
export const newMovement = (
  { amount }: Pick<Payment, "amount">,
  { attempt_id }: Pick<Attempt, "attempt_id">,
  about: Partial<MovementToWrite> = {}
) =>
  Effect.gen(function* () {
    const movement: MovementToWrite = {
      provider: "stripe",
      account: null,
      kind: "collection",
      movement_id: yield* nextId,
      attempt_id,
      refund_id: null,
      amount,
      state: "settled",
      is_total: false,
      source: "callback",
      heard_at: yield* now,
      ...about
    }
    return movement
  })

/** The change by which a payin is completed with all of its money. */
export const paidTo = (payment: Payment, attempt: Pick<Attempt, "attempt_id">, about: Partial<Change> = {}) =>
  Effect.gen(function* () {
    const movements = [yield* newMovement(payment, attempt)]
    return yield* changeTo(payment, "completed", { patch: { taken_by: attempt.attempt_id }, movements, ...about })
  })

export const newEvent = ({ org_id, payment_id }: Payment) =>
  Effect.gen(function* () {
    const event: StoredEvent = {
      event_id: yield* nextId,
      org_id,
      event_type: "transaction.updated",
      payment_id,
      payload: '{"amount":1500.00}',
      created_at: yield* now
    }
    return event
  })

export const newCallback = (
  { org_id, payment_id }: Payment,
  attempt_id: AttemptId,
  about: Partial<StoredCallback> = {}
) =>
  Effect.gen(function* () {
    const id = yield* nextId
    const callback: StoredCallback = {
      callback_id: id,
      provider: "stripe",
      event_key: id,
      payment_id,
      attempt_id,
      org_id,
      report: "completed",
      effect: "applied",
      received_at: yield* now,
      ...about
    }
    return callback
  })

export const newItem = ({ org_id, payment_id }: Payment, attempt_id: AttemptId, about: Partial<OperatorItem> = {}) =>
  Effect.gen(function* () {
    const item: OperatorItem = {
      item_id: yield* nextId,
      org_id,
      kind: "unknown_outcome",
      payment_id,
      attempt_id,
      detail: "money for a payment that had failed",
      opened_at: yield* now,
      ...about
    }
    return item
  })
