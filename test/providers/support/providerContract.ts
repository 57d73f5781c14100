/**
 * Contract of the provider port, checked for one adapter over real HTTP and its fake. Each promise is an effect that
 * fails where it is broken, so that a test can also show that a bad adapter does not pass.
 */
import { it } from "@effect/vitest"
import { isDeepStrictEqual } from "node:util"
import { Effect, Either, Equal } from "effect"
import { describe } from "vitest"
import { Money } from "../../../src/domain/Money.ts"
import type { Declined, Outcome, Report } from "../../../src/domain/Outcome.ts"
import type { Fake } from "../../fakes/Fake.ts"
import type { Entry } from "../../fakes/FakeLedger.ts"
import type { Scenario } from "../../fakes/MagicAmounts.ts"
import type { CallbackEvent, CallbackRequest } from "../../../src/providers/port/Callback.ts"
import type { AttemptContext, PaymentOrder, RefundOrder } from "../../../src/providers/port/Provider.ts"
import { refundsHonoured } from "../../../src/providers/port/ResendPermit.ts"
import type { CredentialFields, ThirdParty } from "../../../src/providers/port/ThirdParty.ts"
import type { Connection } from "./AgainstFake.ts"
import { broken, type BrokenPromise, holds, impatient, openSession, type Session, shown } from "./ContractSession.ts"
import { kindsOf, movedIn, notIn } from "./NamedMovements.ts"
import { refundAttemptOf, refundOf } from "./TestOrders.ts"
import { magicMoney, newReference, type Sample, sampleAttempt, sampleOrder, type Samples } from "./Samples.ts"

export interface PortPromise {
  readonly name: string
  readonly check: Effect.Effect<void, BrokenPromise>
}

type Kind = "payin" | "payout"
type Checked = (session: Session) => Effect.Effect<void, BrokenPromise>

/** Failures: what may fail after it was completed is sent back; for all else both words mean the same. */
const failures: ReadonlyArray<Report["state"]> = ["failed", "returned"]

const declined = (outcome: Outcome): Effect.Effect<Declined, BrokenPromise> =>
  outcome._tag === "Declined" ? Effect.succeed(outcome) : broken(`expected Declined, but it is ${shown(outcome)}`)

const unknown = (outcome: Outcome): Effect.Effect<void, BrokenPromise> =>
  holds(outcome._tag === "Unknown", `expected Unknown, but it is ${shown(outcome)}`)

/** Some providers name money only by callbacks: until then an enquiry says that it is under way. */
const completedAt = (session: Session, sample: Sample, attempt: AttemptContext): Effect.Effect<Report, BrokenPromise> =>
  Effect.gen(function* () {
    if (sample.namedBy !== "callback") return yield* session.reported(attempt, "completed")
    yield* session.reported(attempt, "processing")
    const statements = statementsOf(yield* leadsTo(session, attempt)).find(({ report }) => report.state === "completed")
    return statements === undefined ? yield* broken("no callback says that it is completed") : statements.report
  })

const completes =
  (kind: Kind, sample: Sample): Checked =>
  (session) =>
    Effect.gen(function* () {
      const { attempt, order } = yield* session.through(kind, sample, "completes")
      const report = yield* completedAt(session, sample, attempt)
      yield* session.holdsOf(kind, movedIn(report, kindsOf(attempt), order.money) ?? order.money)
      const unnamed = yield* session.enquire({ ...attempt, providerPaymentId: null })
      yield* holds(
        unnamed._tag !== "Absent",
        "it is there, but asked for by our reference alone it is said to be absent"
      )
    })

const serves =
  (kind: Kind, sample: Sample): Checked =>
  ({ provider }) => {
    const { country, flow, method, money, network } = sampleAttempt(sampleOrder(kind, sample, "completes"))
    const answer = provider.supports({ country, flow, method, network, currency: money.currency })
    return holds(Either.isRight(answer), `it does not support its own sample: ${shown(answer)}`)
  }

const movesOnce =
  (kind: Kind, sample: Sample): Checked =>
  (session) =>
    Effect.gen(function* () {
      const order = sampleOrder(kind, sample, "completes")
      const first = yield* Effect.flatMap(session.initiate(order), session.accepted)
      const again = yield* Effect.all([session.initiate(order), session.initiate(order)], { concurrency: 2 })
      for (const outcome of again) {
        yield* holds(outcome._tag !== "Declined", `the same reference again is declined: ${shown(outcome)}`)
      }
      const attempt = sampleAttempt(order, first.providerPaymentId)
      yield* session.approve(attempt, yield* session.entryOf(kind, order.reference), first)
      yield* session.settled
      const report = yield* completedAt(session, sample, attempt)
      yield* session.holdsOf(kind, movedIn(report, kindsOf(attempt), order.money) ?? order.money)
    })

/** Asks, sends it again where that is safe, or waits for the callback about it. */
const foundAgain =
  (kind: Kind, sample: Sample, scenario: Scenario): Checked =>
  (session) =>
    Effect.gen(function* () {
      const { honoursReference } = session.provider
      const order = sampleOrder(kind, sample, scenario)
      yield* Effect.flatMap(session.initiate(order), unknown)
      const entry = yield* session.entryOf(kind, order.reference)
      const enquiry = yield* session.enquire(sampleAttempt(order))
      yield* holds(enquiry._tag !== "Absent", "it is said to be absent, but it was taken")
      let known = { providerPaymentId: null as string | null, actionData: {} }
      if (enquiry._tag === "Report") {
        yield* holds(!failures.includes(enquiry.state), `it was taken, but is reported as failed: ${shown(enquiry)}`)
        known = { ...known, providerPaymentId: enquiry.providerPaymentId, ...enquiry.waitsFor }
      } else if (honoursReference !== false) {
        known = yield* Effect.flatMap(session.initiate(order), session.accepted)
      }
      const attempt = sampleAttempt(order, known.providerPaymentId)
      yield* session.approve(attempt, entry, known)
      yield* session.settled
      yield* session.holdsOf(kind, order.money)
      if (known.providerPaymentId !== null) return void (yield* completedAt(session, sample, attempt))
      yield* leadsTo(session, attempt)
    })

const neverTaken =
  (kind: Kind, sample: Sample, scenario: Scenario): Checked =>
  (session) =>
    Effect.gen(function* () {
      const order = sampleOrder(kind, sample, scenario)
      yield* Effect.flatMap(session.initiate(order), unknown)
      yield* saidToBeAbsent(session, sampleAttempt(order))
      yield* session.holdsNothing
    })

const saidToBeAbsent = ({ enquire, provider }: Session, attempt: AttemptContext) =>
  Effect.flatMap(enquire(attempt), (enquiry) =>
    holds(
      enquiry._tag === "Absent" || (enquiry._tag === "Unknown" && provider.provesAbsence === false),
      `it was never taken, but the answer is ${shown(enquiry)}`
    )
  )

const neverSent =
  (kind: Kind, sample: Sample): Checked =>
  (session) =>
    Effect.zipRight(
      saidToBeAbsent(session, sampleAttempt(sampleOrder(kind, sample, "completes"))),
      session.holdsNothing
    )

const tooBusy =
  (kind: Kind, sample: Sample): Checked =>
  (session) =>
    Effect.gen(function* () {
      const refusal = yield* Effect.flatMap(session.initiate(sampleOrder(kind, sample, "busy")), declined)
      yield* holds(refusal.instrument !== true, "being asked too often is held against the payer")
      yield* holds(refusal.code === "PROVIDER_BUSY", `its code is ${refusal.code}, not PROVIDER_BUSY`)
      yield* session.holdsNothing
    })

/** Checks an enquiry, or where those name nothing, a callback. */
const failedAt = (session: Session, sample: Sample, attempt: AttemptContext) =>
  Effect.gen(function* () {
    if (sample.namedBy !== "callback") return void (yield* session.reported(attempt, ...failures))
    const enquiry = yield* session.enquire(attempt)
    if (enquiry._tag === "Report" && failures.includes(enquiry.state)) return
    const statements = statementsOf(yield* leadsTo(session, attempt))
    yield* holds(
      statements.some(({ report }) => failures.includes(report.state)),
      `neither an enquiry nor a callback says that it failed: ${shown([enquiry, statements])}`
    )
  })

/** Fails at once or later: either way nothing is moved. */
const endsFailed = (session: Session, kind: Kind, sample: Sample, order: PaymentOrder, outcome: Outcome) =>
  Effect.gen(function* () {
    if (outcome._tag !== "Declined") {
      const { attempt } = yield* session.toEnd(kind, order, yield* session.accepted(outcome))
      yield* failedAt(session, sample, attempt)
    }
    yield* session.settled
    yield* session.holdsNothing
  })

const declines =
  (kind: Kind, sample: Sample, scenario: "declined_instrument" | "declined_provider"): Checked =>
  (session) =>
    Effect.gen(function* () {
      const order = sampleOrder(kind, sample, scenario)
      const outcome = yield* session.initiate(order)
      if (sample.declines !== "later") yield* declined(outcome)
      yield* endsFailed(session, kind, sample, order, outcome)
      if (outcome._tag !== "Declined") return
      const isInstruments = outcome.instrument === true
      // Skips payouts, whose refusals providers blame in their own ways, and deposits, which have no instrument.
      const isOpen = kind === "payout" || order.method === "crypto"
      yield* scenario === "declined_provider"
        ? holds(!isInstruments, "the provider's own refusal is held against the payer")
        : holds(isInstruments || isOpen, "the refusal of the payer's card or account is not reported as such")
      yield* holds((outcome.providerCode ?? "") !== "", "it does not say what the provider calls the refusal")
    })

const failsLater =
  (kind: Kind, sample: Sample): Checked =>
  (session) => {
    const order = sampleOrder(kind, sample, "fails_later")
    return Effect.flatMap(session.initiate(order), (outcome) => endsFailed(session, kind, sample, order, outcome))
  }

const staysSilent =
  (kind: Kind, sample: Sample): Checked =>
  (session) =>
    Effect.gen(function* () {
      const { attempt } = yield* session.through(kind, sample, "silent")
      yield* session.reported(attempt, "pending", "processing")
      yield* session.holdsNothing
    })

const eventsOf = (session: Session, request: CallbackRequest) =>
  Effect.flatMap(session.callback(request), (read) =>
    Either.isRight(read)
      ? Effect.succeed(read.right.events)
      : broken(`an honest callback is refused: ${read.left.message}`)
  )

const isAbout = ({ providerPaymentId, reference }: AttemptContext, { attempt }: CallbackEvent): boolean =>
  attempt.reference === reference || (providerPaymentId !== null && attempt.providerPaymentId === providerPaymentId)

const leadsTo = (session: Session, attempt: AttemptContext) =>
  Effect.gen(function* () {
    const { callbacks } = session.mailbox
    yield* holds(callbacks.length > 0, "no callback came")
    const events = yield* Effect.forEach(callbacks, (request) => eventsOf(session, request))
    for (const [at, some] of events.entries()) {
      yield* holds(
        some.some((event) => isAbout(attempt, event)),
        `the callback leads elsewhere: ${shown(some)}, from ${callbacks[at]!.body.toString("utf8")}`
      )
    }
    return events.flat().filter((event) => isAbout(attempt, event))
  })

const callsBack =
  (kind: Kind, sample: Sample, scenario: Scenario): Checked =>
  (session) =>
    Effect.gen(function* () {
      const { attempt, entry } = yield* session.through(kind, sample, scenario)
      yield* tellsTruth(session, sample, attempt, entry)
    })

const tellsTruth = (session: Session, sample: Sample, attempt: AttemptContext, entry: Entry) =>
  Effect.gen(function* () {
    const events = yield* leadsTo(session, attempt)
    for (const event of events) {
      if (event._tag === "Hint") continue
      const { state } = event.report
      const moved = movedIn(event.report, kindsOf(attempt), entry.moved)
      const isTrue = entry.state === "failed" ? failures.includes(state) : state === entry.state
      yield* holds(isTrue, `the callback states ${state}, but it is ${entry.state}`)
      yield* holds(
        moved === undefined || Equal.equals(moved, entry.moved),
        `the callback states that ${moved} moved, but it was ${entry.moved}`
      )
    }
    const enquiry = yield* session.enquire(attempt)
    for (const { report } of statementsOf(events)) {
      const isAsked = enquiry._tag === "Report" && sample.namedBy !== "callback"
      const unnamed = isAsked ? notIn(report, enquiry) : []
      yield* holds(
        unnamed.length === 0,
        `the callback names ${shown(unnamed)}, which the enquiry calls otherwise: ${shown(enquiry)}`
      )
    }
    const keys = new Set(events.flatMap((event) => (event._tag === "VerifiedReport" ? [event.key] : [])))
    yield* holds(keys.size <= 1, `one event has several keys: ${[...keys].join(", ")}`)
  })

/** Accepts both: not every provider reports a failure, and some answer with it. */
const callsBackOnFailure =
  (kind: Kind, sample: Sample): Checked =>
  (session) =>
    Effect.gen(function* () {
      const order = sampleOrder(kind, sample, "fails_later")
      const outcome = yield* session.initiate(order)
      if (outcome._tag === "Declined") return
      const { attempt, entry } = yield* session.toEnd(kind, order, yield* session.accepted(outcome))
      if (session.mailbox.callbacks.length > 0) yield* tellsTruth(session, sample, attempt, entry)
    })

const outOfOrder =
  (kind: Kind, sample: Sample): Checked =>
  (session) =>
    Effect.gen(function* () {
      const { attempt } = yield* session.through(kind, sample, "reordered")
      const [last, ...earlier] = yield* leadsTo(session, attempt)
      for (const event of earlier) {
        if (event._tag === "Hint" || last?._tag !== "VerifiedReport") continue
        yield* holds(event.key !== last.key, "two events have one key")
        yield* holds(
          event.report.state !== "failed" && event.report.state !== "returned",
          `its beginning is reported as ${event.report.state}`
        )
      }
      yield* completedAt(session, sample, attempt)
    })

const MOST_BYTES_CHANGED = 128

const flipped = (bytes: Buffer, at: number): Buffer => {
  const changed = Buffer.from(bytes)
  changed[at]! ^= 1
  return changed
}

/** One byte after the other, of what the proof covers. */
const changesOf = (request: CallbackRequest, { provedBy }: Sample): ReadonlyArray<CallbackRequest> => {
  const stepsIn = ({ length }: Buffer, most: number) => {
    const step = Math.max(1, Math.ceil(length / most))
    return Array.from({ length: Math.ceil(length / step) }, (_, at) => at * step)
  }
  if (provedBy !== "address") {
    return stepsIn(request.body, MOST_BYTES_CHANGED).map((at) => ({ ...request, body: flipped(request.body, at) }))
  }
  return Object.entries(request.query).flatMap(([name, value]) =>
    stepsIn(Buffer.from(value), MOST_BYTES_CHANGED).map((at) => ({
      ...request,
      query: { ...request.query, [name]: flipped(Buffer.from(value), at).toString("latin1") }
    }))
  )
}

const statementsOf = (events: ReadonlyArray<CallbackEvent>) =>
  events.flatMap((event) => (event._tag === "VerifiedReport" ? [event] : []))

/** A byte that the proof does not cover may change, but then nothing that is stated does. */
const changedByte =
  (kind: Kind, sample: Sample): Checked =>
  (session) =>
    Effect.gen(function* () {
      const { attempt } = yield* session.through(kind, sample, "completes")
      yield* leadsTo(session, attempt)
      for (const request of session.mailbox.callbacks) {
        const honest = statementsOf(yield* eventsOf(session, request))
        const changes = changesOf(request, sample)
        yield* holds(changes.length > 0, "nothing in the callback can be a proof")
        for (const [at, changed] of changes.entries()) {
          const read = yield* session.callback(changed)
          if (Either.isLeft(read)) continue
          for (const { attempt: named, report } of statementsOf(read.right.events)) {
            const isSaid = honest.some(
              (one) =>
                one.attempt.reference === named.reference &&
                one.attempt.providerPaymentId === named.providerPaymentId &&
                isDeepStrictEqual(one.report, report)
            )
            const isHarmless = isSaid && sample.provedBy !== "address"
            yield* holds(isHarmless, `with byte ${at} changed it still states ${shown([named, report])}`)
          }
        }
      }
    })

const declinedWithReason = (session: Session, order: PaymentOrder) =>
  Effect.gen(function* () {
    const refusal = yield* Effect.flatMap(session.initiate(order), declined)
    yield* holds(refusal.reason.trim() !== "", "it is declined without a reason")
    yield* holds(refusal.instrument !== true, "the amount is held against the payer")
    yield* session.holdsNothing
  })

const otherAmount =
  (kind: Kind, sample: Sample): Checked =>
  (session) =>
    Effect.gen(function* () {
      if (sample.otherAmount === "declined") {
        return yield* declinedWithReason(session, sampleOrder(kind, sample, "other_amount"))
      }
      const { attempt, entry } = yield* session.through(kind, sample, "other_amount")
      const report =
        sample.namedBy === "callback"
          ? yield* completedAt(session, sample, attempt)
          : yield* session.reported(attempt, "completed", "processing", "pending")
      const moved = movedIn(report, kindsOf(attempt), entry.moved)
      yield* holds(
        moved !== undefined && Equal.equals(moved, entry.moved),
        `${entry.moved} came, but it reports ${moved ?? "no amount"}`
      )
    })

/** A hundredth more than it can be asked for. */
const fraction =
  (kind: Kind, sample: Sample): Checked =>
  (session) =>
    Effect.gen(function* () {
      const order = sampleOrder(kind, sample, "completes")
      const { currency, minor } = order.money
      yield* declinedWithReason(session, { ...order, money: new Money({ currency, minor: minor + 1n }) })
      yield* holds(session.sentOrders().length === 0, "what cannot be asked for exactly was sent")
      const { country, flow, method, network } = sampleAttempt(order)
      const digits = session.provider.digits?.({ country, flow, method, network, currency })
      yield* holds(digits === 0, `routing offers it a fraction: it declares ${digits} digits`)
    })

const credentialsRefused =
  (kind: Kind, sample: Sample): Checked =>
  (session) =>
    Effect.gen(function* () {
      const refusal = yield* Effect.flatMap(session.initiate(sampleOrder(kind, sample, "completes")), declined)
      yield* holds(refusal.instrument !== true, "our own wrong credentials are held against the payer")
      yield* session.holdsNothing
    })

const testsAccount =
  (isGood: boolean): Checked =>
  ({ provider: { test } }) =>
    test === undefined
      ? Effect.void
      : Effect.flatMap(test, (answer) =>
          holds(Either.isRight(answer) === isGood, `the account is ${isGood ? "good" : "bad"}, but: ${shown(answer)}`)
        )

interface Returning {
  readonly order: RefundOrder
  readonly attempt: (providerPaymentId: string | null) => AttemptContext
  readonly before: bigint
}

/** A completed payin, and the order to give a third of it back. */
const returning = (session: Session, sample: Sample, scenario: Scenario): Effect.Effect<Returning, BrokenPromise> =>
  Effect.gen(function* () {
    const { attempt: broughtBy, entry } = yield* session.through("payin", sample, "completes")
    const third = ((sample.hundredths ?? 150_000n) / 300n) * 100n
    const money = magicMoney(sample.currency, scenario, third, sample.wholeUnits)
    const reference = newReference()
    const refund = refundOf(broughtBy, { reference, money, reason: "The customer changed their mind" })
    return {
      order: refund,
      attempt: (providerPaymentId) => refundAttemptOf(refund, { providerPaymentId, sentAt: new Date() }),
      before: session.held(entry.moved)
    }
  })

const givesBack =
  (sample: Sample): Checked =>
  (session) =>
    Effect.gen(function* () {
      const { attempt, before, order } = yield* returning(session, sample, "completes")
      const outcome = yield* Effect.flatMap(session.refund(order), session.accepted)
      const again = refundsHonoured(session.provider) === false ? outcome : yield* session.refund(order)
      yield* holds(again._tag !== "Declined", `the same refund again is declined: ${shown(again)}`)
      yield* session.settled
      yield* session.reported(attempt(outcome.providerPaymentId), "completed")
      yield* session.holdsOf("refund", order.money, before)
    })

const refundFoundAgain =
  (sample: Sample): Checked =>
  (session) =>
    Effect.gen(function* () {
      const { attempt, before, order } = yield* returning(session, sample, "lost_after")
      yield* Effect.flatMap(session.refund(order), unknown)
      yield* session.entryOf("refund", order.reference)
      const enquiry = yield* session.enquire(attempt(null))
      yield* holds(
        enquiry._tag !== "Absent" && (enquiry._tag !== "Report" || !failures.includes(enquiry.state)),
        `the refund was taken, but the answer is ${shown(enquiry)}`
      )
      if (enquiry._tag === "Unknown" && refundsHonoured(session.provider) !== false) {
        yield* Effect.flatMap(session.refund(order), session.accepted)
      }
      yield* session.settled
      yield* session.holdsOf("refund", order.money, before)
    })

const refundFailsLater =
  (sample: Sample): Checked =>
  (session) =>
    Effect.gen(function* () {
      const { attempt, before, order } = yield* returning(session, sample, "fails_later")
      const outcome = yield* session.refund(order)
      yield* session.settled
      if (outcome._tag !== "Declined") {
        const id = yield* Effect.map(session.accepted(outcome), ({ providerPaymentId }) => providerPaymentId)
        yield* session.reported(attempt(id), ...failures)
      }
      yield* holds(session.held(order.money) === before, "the refund failed, but the fake gave the money back")
    })

export const promisesOf = <Fields extends CredentialFields>(
  definition: ThirdParty<Fields>,
  fake: Fake,
  samples: Samples
): ReadonlyArray<PortPromise> => {
  const usual: Connection = samples.rawCards === undefined ? {} : { rawCards: samples.rawCards }
  const promise = (name: string, checked: Checked, connection: Connection = {}): PortPromise => ({
    name,
    check: Effect.scoped(Effect.flatMap(openSession(definition, fake, { ...usual, ...connection }), checked))
  })
  const wrong: Connection = {
    credentials: (taken) =>
      Object.fromEntries(
        Object.entries(taken).map(([name, value]) => [
          name,
          definition.fields[name]?.shown === true ? value : `${value}wrong`
        ])
      )
  }
  const ofKind = (kind: Kind, sample: Sample): ReadonlyArray<PortPromise> => [
    promise(`a ${kind} of the sample is one that it supports`, serves(kind, sample)),
    promise(`a ${kind} completes, and its fake holds what it said`, completes(kind, sample)),
    promise(`a ${kind} moves money once, however often one reference is sent`, (session) =>
      session.provider.honoursReference === false ? Effect.void : movesOnce(kind, sample)(session)
    ),
    promise(`a ${kind} whose answer was lost is found again`, foundAgain(kind, sample, "lost_after")),
    promise(`a ${kind} whose answer is unreadable is found again`, foundAgain(kind, sample, "garbage")),
    promise(`a ${kind} whose answer takes too long is found again`, foundAgain(kind, sample, "slow"), {
      limits: impatient
    }),
    promise(`a ${kind} that was lost on the way is not known`, neverTaken(kind, sample, "lost_before")),
    promise(`a ${kind} that met an error of the server is not known`, neverTaken(kind, sample, "server_error")),
    promise(`a ${kind} that was never sent is not reported`, neverSent(kind, sample)),
    promise(`a ${kind} that came too often is declined`, tooBusy(kind, sample)),
    promise(`a ${kind} is declined for the instrument`, declines(kind, sample, "declined_instrument")),
    promise(`a ${kind} is declined for the provider's own reasons`, declines(kind, sample, "declined_provider")),
    ...(sample.wholeUnits === true
      ? [promise(`a ${kind} with a fraction is declined before it is sent`, fraction(kind, sample))]
      : []),
    promise(`a ${kind} with credentials that are not taken is declined`, credentialsRefused(kind, sample), wrong),
    promise(`a ${kind} that fails later is reported as failed`, failsLater(kind, sample)),
    promise(`a ${kind} without any answer is under way`, staysSilent(kind, sample)),
    ...(samples.callbacks === false
      ? []
      : [
          promise(`a callback about a ${kind} leads to it`, callsBack(kind, sample, "completes")),
          promise(`a callback about a ${kind} that failed leads to it`, callsBackOnFailure(kind, sample)),
          promise(`a callback about a ${kind} that comes twice is one`, callsBack(kind, sample, "twice")),
          promise(`callbacks about a ${kind} out of order are two`, outOfOrder(kind, sample)),
          promise(`a callback about a ${kind} with a changed byte proves nothing`, changedByte(kind, sample))
        ])
  ]
  const ofPayin = (sample: Sample): ReadonlyArray<PortPromise> => [
    ...ofKind("payin", sample),
    promise("a payin of another amount is reported with it", otherAmount("payin", sample)),
    ...(samples.refund === true
      ? [
          promise("a refund gives back once what it says", givesBack(sample)),
          promise("a refund whose answer was lost is found again", refundFoundAgain(sample)),
          promise("a refund that fails later gives nothing back", refundFailsLater(sample))
        ]
      : [])
  ]
  return [
    promise("a good account is said to be good", testsAccount(true)),
    promise("a bad account is said to be bad", testsAccount(false), wrong),
    promise("refunds are there where they are declared", ({ provider }) =>
      holds((provider.refund !== undefined) === definition.refunds, `refunds are declared as ${definition.refunds}`)
    ),
    ...(samples.payin === undefined ? [] : ofPayin(samples.payin)),
    ...(samples.payout === undefined ? [] : ofKind("payout", samples.payout))
  ]
}

/** A test for each promise, several at once: most of their time is waiting. */
export const providerContract = <Fields extends CredentialFields>(
  definition: ThirdParty<Fields>,
  fake: Fake,
  samples: Samples
): void => {
  describe(`what the port promises of ${definition.title}`, () => {
    for (const { check, name } of promisesOf(definition, fake, samples))
      it.live(name, () => check, { concurrent: true })
  })
}
