/** Adapter and running fake for the checks; all output of the adapter is searched for secrets. */
import { inspect } from "node:util"
import { Data, Duration, Effect, Either, Logger, Redacted } from "effect"
import type { Money } from "../../../src/domain/Money.ts"
import type { Accepted, Enquiry, Outcome, Report } from "../../../src/domain/Outcome.ts"
import type { Fake } from "../../fakes/Fake.ts"
import type { Entry } from "../../fakes/FakeLedger.ts"
import type { Scenario } from "../../fakes/MagicAmounts.ts"
import type { CallbackRequest } from "../../../src/providers/port/Callback.ts"
import type { AttemptContext, PaymentOrder, RefundOrder } from "../../../src/providers/port/Provider.ts"
import type { CredentialFields, ThirdParty } from "../../../src/providers/port/ThirdParty.ts"
import { againstFake, type Connection } from "./AgainstFake.ts"
import { kindsOf, movementsProblem } from "./NamedMovements.ts"
import { type Sample, sampleAttempt, sampleOrder } from "./Samples.ts"

/** Promise of the port that the adapter did not keep. */
export class BrokenPromise extends Data.TaggedError("BrokenPromise")<{ readonly message: string }> {}

export const holds = (is: boolean, otherwise: string): Effect.Effect<void, BrokenPromise> =>
  is ? Effect.void : new BrokenPromise({ message: otherwise })

export const broken = (message: string): Effect.Effect<never, BrokenPromise> => new BrokenPromise({ message })

export const shown = (value: unknown): string => inspect(value, { depth: 6, breakLength: Infinity })

/** Time enough on the busiest machine; a slow answer is given up sooner, by the one check that is about it. */
const patient = { connect: Duration.seconds(10), firstByte: Duration.seconds(10), answer: Duration.seconds(10) }
export const impatient = { ...patient, answer: Duration.millis(1_200) }

const paces = { pace: Duration.millis(20), late: Duration.millis(40), slow: Duration.seconds(6) }

/** Shorter ones are found in any text. */
const SHORTEST_SECRET = 6

const secretsOf = (fields: CredentialFields, credentials: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(credentials)
    .filter(([name, value]) => fields[name]?.shown !== true && value.length >= SHORTEST_SECRET)
    .map(([, value]) => value)

const cardOf = ({ card }: PaymentOrder): ReadonlyArray<string> => (card === null ? [] : [Redacted.value(card).number])

const LONGEST_WALK = 10

/** Follows a page like a browser, until it is sent back to where it came from. */
const walk = (start: string, home: string) =>
  Effect.promise(async () => {
    let at = start
    for (let steps = 0; steps < LONGEST_WALK && at.startsWith(home); steps += 1) {
      const response = await fetch(at, { redirect: "manual" })
      await response.arrayBuffer()
      const next = response.headers.get("location")
      if (next === null) return at
      at = new URL(next, at).href
    }
    return at
  })

export interface Session extends Effect.Effect.Success<ReturnType<typeof openSession>> {}

export const openSession = <Fields extends CredentialFields>(
  definition: ThirdParty<Fields>,
  fake: Fake,
  about: Connection = {}
) =>
  Effect.gen(function* () {
    const running = yield* againstFake(definition, fake, { limits: patient, paces, ...about })
    const { books, mailbox, provider, settled, world } = running

    const secrets = new Set(
      secretsOf(definition.fields, about.credentials?.(running.credentials) ?? running.credentials)
    )
    const logs: Array<string> = []
    const logger = Logger.make(({ annotations, cause, message }) => {
      logs.push(shown([message, annotations, cause]))
    })

    /** Runs a call and fails if its result or its log holds a secret. */
    const watched = <A, E>(what: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E | BrokenPromise> =>
      effect.pipe(
        Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
        Effect.tap((said) => {
          const result = [inspect(said, { depth: null }), ...logs].join("\n")
          return holds(![...secrets].some((secret) => result.includes(secret)), `${what} leaks a secret`)
        })
      )

    /** Checks that reported money has the provider's id. */
    const named = (result: Outcome | Enquiry, attempt?: Pick<AttemptContext, "flow" | "leg">) => {
      if (result._tag !== "Accepted" && result._tag !== "Report") return Effect.void
      const problem = movementsProblem(result, attempt === undefined ? undefined : kindsOf(attempt))
      return problem === undefined ? Effect.void : broken(`${problem}: ${shown(result)}`)
    }

    const initiate = (order: PaymentOrder): Effect.Effect<Outcome, BrokenPromise> => {
      for (const number of cardOf(order)) secrets.add(number)
      return Effect.tap(watched("the outcome of an order", provider.initiate(order)), (result) =>
        named(result, { flow: order.flow, leg: "payment" })
      )
    }
    const enquire = (attempt: AttemptContext): Effect.Effect<Enquiry, BrokenPromise> =>
      Effect.tap(watched("the answer to an enquiry", provider.enquire(attempt)), (result) => named(result, attempt))
    const refund = (order: RefundOrder): Effect.Effect<Outcome, BrokenPromise> =>
      provider.refund === undefined
        ? broken("it has no refunds")
        : Effect.tap(watched("the outcome of a refund", provider.refund(order)), (result) =>
            named(result, { flow: "inbound", leg: "refund" })
          )
    const callback = (request: CallbackRequest) =>
      Effect.tap(watched("a callback", Effect.either(provider.callback(request))), (read) =>
        Either.isLeft(read)
          ? Effect.void
          : Effect.forEach(read.right.events, (event) =>
              event._tag === "VerifiedReport" ? named(event.report) : Effect.void
            )
      )

    /** Entry by our reference; where the provider takes none for this kind of order, the only entry. */
    const entryOf = (kind: Entry["kind"], reference: string): Effect.Effect<Entry, BrokenPromise> => {
      const entry = books.byReference(kind, reference) ?? books.all().findLast((one) => one.kind === kind)
      return entry === undefined ? broken("the fake's books have no entry of it") : Effect.succeed(entry)
    }

    /** The customer does what is asked of them: at the fake's own page where there is one. */
    const approve = (attempt: AttemptContext, entry: Entry, { actionData }: Pick<Accepted, "actionData">) =>
      Effect.gen(function* () {
        if (entry.state !== "waiting") return
        const page = actionData["redirect_url"] ?? actionData["payment_link"]
        if (typeof page === "string" && page.startsWith(running.url)) {
          const back = yield* walk(page, running.url)
          const query = Object.fromEntries(new URL(back).searchParams)
          if (provider.resume !== undefined) {
            yield* watched("what the customer came back with", provider.resume(attempt, query))
          }
        }
        world.approve(entry)
      })

    const accepted = (outcome: Outcome): Effect.Effect<Accepted, BrokenPromise> =>
      outcome._tag === "Accepted" ? Effect.succeed(outcome) : broken(`expected Accepted, but it is ${shown(outcome)}`)

    const reported = (
      attempt: AttemptContext,
      ...states: ReadonlyArray<Report["state"]>
    ): Effect.Effect<Report, BrokenPromise> =>
      Effect.flatMap(enquire(attempt), (enquiry) =>
        enquiry._tag === "Report" && states.includes(enquiry.state)
          ? Effect.succeed(enquiry)
          : broken(`expected a report of ${states.join(" or ")}, but it is ${shown(enquiry)}`)
      )

    const held = ({ currency }: Money): bigint => books.holdings().get(currency) ?? 0n

    const holdsOf = (kind: Entry["kind"], money: Money, before = 0n): Effect.Effect<void, BrokenPromise> => {
      const expected = before + (kind === "payin" ? money.minor : -money.minor)
      return holds(
        held(money) === expected,
        `the fake holds ${held(money)} ${money.currency}, but the adapter reports ${expected}`
      )
    }

    const holdsNothing = Effect.suspend(() =>
      holds(
        [...books.holdings().values()].every((amount) => amount === 0n),
        `the fake holds ${shown(books.holdings())}, but nothing was to be moved`
      )
    )

    /** With the id of the payment, where the provider gives up the id of the page that it was made on. */
    const renamed = (attempt: AttemptContext): Effect.Effect<AttemptContext, BrokenPromise> =>
      Effect.gen(function* () {
        const { providerPaymentId: id } = attempt
        if (id === null || provider.givesUpId?.(id) !== true) return attempt
        const said = yield* enquire(attempt)
        return said._tag === "Report" ? { ...attempt, providerPaymentId: said.providerPaymentId ?? id } : attempt
      })

    /** The rest of what was accepted, up to its end. */
    const toEnd = (kind: "payin" | "payout", order: PaymentOrder, outcome: Accepted) =>
      Effect.gen(function* () {
        const attempt = sampleAttempt(order, outcome.providerPaymentId)
        const entry = yield* entryOf(kind, order.reference)
        yield* approve(attempt, entry, outcome)
        yield* settled
        return { order, attempt: yield* renamed(attempt), entry }
      })

    const through = (kind: "payin" | "payout", sample: Sample, scenario: Scenario) =>
      Effect.gen(function* () {
        const order = sampleOrder(kind, sample, scenario)
        return yield* toEnd(kind, order, yield* Effect.flatMap(initiate(order), accepted))
      })

    return {
      provider,
      mailbox,
      settled,
      initiate,
      enquire,
      refund,
      callback,
      entryOf,
      approve,
      accepted,
      reported,
      holdsOf,
      holdsNothing,
      held,
      /** Calls that the fake got, without those for tokens. */
      sentOrders: () => running.calls.filter(({ operation }) => !operation.endsWith("token")),
      toEnd,
      through
    }
  })
