/** The four built-in providers of the sandbox. They simulate payments behind the provider port and move no money. */
import { Clock, type Duration, Effect, Either, Option } from "effect"
import { isCryptoAssetCode } from "../../domain/Currency.ts"
import { type BuiltInRail, builtInRails } from "../../domain/Corridor.ts"
import { currencies } from "../../domain/Currency.ts"
import { sha256Hex } from "../../domain/Digest.ts"
import { uuidOrNil } from "../../domain/Ids.ts"
import { Absent, Declined, Report, Unknown, type Outcome } from "../../domain/Outcome.ts"
import type { SupportQuestion } from "../../domain/Routing.ts"
import { withMovements } from "../client/ProviderReplies.ts"
import { type AccountIssuer, Issued } from "../port/AccountIssuer.ts"
import type { AttemptContext, PaymentOrder, Provider } from "../port/Provider.ts"
import { Vault } from "../../platform/secrets/Vault.ts"
import {
  acceptedAs,
  answerTo,
  depositAddress,
  movementsOf,
  simulatorPaymentId,
  readCallback,
  makeTimers
} from "./SimulatorAnswers.ts"
import { type Behaviour, behaviourOf, type SimulatorPayment, SimulatorStore } from "./SimulatorStore.ts"
import { SimulatorCustomer } from "./SimulatorCustomer.ts"
import { traced } from "../../platform/observability/Spans.ts"

const isServed: Readonly<Record<BuiltInRail, (question: SupportQuestion) => boolean>> = {
  fiat: ({ currency, flow, method }) =>
    !isCryptoAssetCode(currency) && ["card", "bank_transfer", "mobile_money"].includes(method) && flow !== "external",
  crypto: ({ currency, flow, method }) => isCryptoAssetCode(currency) && method === "crypto" && flow !== "external",
  hybrid: ({ flow, method }) => method === "crypto" && flow === "external",
  manual: () => true
}

const supportOf =
  (rail: BuiltInRail): Provider["supports"] =>
  (question) =>
    isServed[rail](question)
      ? Either.void
      : Either.left(
          `The provider ${rail} does not support ${question.currency} by ${question.method}, ${question.flow}.`
        )

const DECLINED = "The payment was declined"

/** Repeats the first answer to a reference, as its behaviour asks for. */
const outcomeOf = (payment: SimulatorPayment, slowAnswer: Duration.Duration): Effect.Effect<Outcome> => {
  switch (payment.behaviour) {
    case "declines":
      return Effect.succeed(new Declined({ reason: payment.reason ?? DECLINED }))
    case "never_answers":
      return Effect.never
    case "loses_answer":
      return Effect.succeed(new Unknown({ reason: "The connection was lost before the answer came" }))
    case "answers_slowly":
      return Effect.delay(Effect.succeed(acceptedAs(payment)), slowAnswer)
    default:
      return Effect.succeed(acceptedAs(payment))
  }
}

const remembered = (
  rail: BuiltInRail,
  order: PaymentOrder,
  behaviour: Behaviour,
  nowMillis: number
): SimulatorPayment => {
  const answer = answerTo(order, behaviour, nowMillis)
  const declined = behaviour === "declines"
  return {
    reference: order.reference,
    rail,
    kind: order.flow === "outbound" ? "disbursement" : "collection",
    state: declined ? "failed" : answer.state,
    behaviour,
    money: order.money,
    reason: declined ? DECLINED : null,
    answer,
    wrongPasswords: 0
  }
}

/** Details of a bank that does not exist. `simulate-deposit` stands for a transfer to them. */
const simulatedAccounts: AccountIssuer = {
  currencies: Array.from(currencies.keys()),
  issue: ({ holder, reference }) =>
    Effect.succeed(
      new Issued({
        providerReference: reference,
        details: {
          account_name: holder.name,
          account_number: (BigInt(`0x${sha256Hex(reference)}`) % 10n ** 10n).toString().padStart(10, "0"),
          bank_name: "Sandbox Bank",
          bank_code: "000"
        }
      })
    )
}

/** Addresses without a known private key. */
const simulatedAddresses: AccountIssuer = {
  currencies: ["USDC"],
  issue: ({ reference }) => {
    const details = { address: depositAddress("ETHEREUM", reference), network: "ETHEREUM" }
    return Effect.succeed(new Issued({ providerReference: reference, details }))
  }
}

const makeSimulator = (rail: BuiltInRail) =>
  Effect.gen(function* () {
    const store = yield* SimulatorStore
    const vault = yield* Vault
    const { slowAnswer, timersFor } = yield* makeTimers
    const customer = yield* SimulatorCustomer

    const initiate = Effect.fnUntraced(function* (order: PaymentOrder) {
      const behaviour = behaviourOf(rail, order)
      const payment = remembered(rail, order, behaviour, yield* Clock.currentTimeMillis)
      const kept = yield* store.open(payment, yield* timersFor(behaviour))
      if (kept.rail !== rail) return new Declined({ reason: "Another simulator has a payment of this reference" })
      return yield* outcomeOf(kept, slowAnswer)
    })

    const enquire = traced("Simulator.enquire")(function* ({ reference }: AttemptContext) {
      const kept = Option.filter(yield* store.find(uuidOrNil(reference)), (payment) => payment.rail === rail)
      if (Option.isNone(kept)) return new Absent()
      const { answer, behaviour, reason, state } = kept.value
      if (behaviour === "never_answers") return new Unknown({ reason: "The simulator does not answer" })
      const providerPaymentId = simulatorPaymentId(rail, reference)
      const { actionData, nextAction } = answer
      const waits = state === "pending" && nextAction !== null ? { waitsFor: { nextAction, actionData } } : {}
      return new Report({
        state,
        reason,
        providerPaymentId,
        providerStatus: state,
        ...withMovements(movementsOf(kept.value)),
        ...waits
      })
    })

    const provider: Provider = {
      name: rail,
      honoursReference: true,
      provesAbsence: true,
      takesCardNumbers: true,
      supports: supportOf(rail),
      // A simulator without its database is like a provider that does not answer.
      initiate: (order) => Effect.orDie(initiate(order)),
      enquire: (attempt) => Effect.orDie(enquire(attempt)),
      callback: readCallback(vault, rail),
      otp: {
        submit: ({ reference }, otp) => Effect.orDie(customer.submitOtp(reference, otp)),
        resend: ({ reference }) => Effect.orDie(customer.resendOtp(reference))
      },
      cancel: ({ reference }) =>
        Effect.map(Effect.orDie(customer.cancel(reference)), (canceled) => (canceled ? "canceled" : "refused")),
      refund: ({ attempt, money, reference }) => Effect.orDie(customer.refund(attempt.reference, reference, money)),
      ...(rail === "fiat" ? { accounts: simulatedAccounts } : {}),
      ...(rail === "crypto" ? { accounts: simulatedAddresses } : {})
    }
    return provider
  })

export const makeSimulators = Effect.forEach(builtInRails, makeSimulator).pipe(Effect.provide(SimulatorCustomer.layer))
