/** Answers of the simulators to accepted orders, and the callbacks that follow: when, and with what content. */
import { Duration, Effect, Either, Schema } from "effect"
import { type BuiltInRail, builtInRails } from "../../domain/Corridor.ts"
import { isCryptoAssetCode, networksOf, AnyCurrencyCode } from "../../domain/Currency.ts"
import type { Movement } from "../../domain/Movement.ts"
import { Accepted, Report } from "../../domain/Outcome.ts"
import {
  simulatorFundingTime,
  simulatorSlowness,
  simulatorDuplicateGap
} from "../../domain/policies/ProviderPolicies.ts"
import type { PaymentOrder } from "../port/Provider.ts"
import {
  type Behaviour,
  methodOf,
  type SimulatorAnswer,
  type SimulatorPayment,
  type NewSimulatorTimer,
  type SimulatorState,
  simulatorKinds,
  type SimulatorTimer
} from "./SimulatorStore.ts"
import { sha256Hex } from "../../domain/Digest.ts"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { base58 } from "@scure/base"
import { base58check, checksumCase, keyHashVersion, tronVersion } from "../../domain/WalletAddress.ts"
import { Ids } from "../../domain/Ids.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { moneyOf } from "../../platform/database/Query.ts"
import { compileDecoder } from "../../platform/schema/CompiledSchema.ts"
import { withMovements } from "../client/ProviderReplies.ts"
import { type Callback, type CallbackRequest, Check, NoProof, Proof, VerifiedReport } from "../port/Callback.ts"
import type { VaultService } from "../../platform/secrets/Vault.ts"

/** Deposit address: valid for its network, derived from the reference, without a private key. */
const versioned = (version: number, hash: Uint8Array): string =>
  base58check.encode(concatBytes(Uint8Array.of(version), hash))

export const depositAddress = (network: string, reference: string): string => {
  const digest = sha256(utf8ToBytes(`deposit ${network} ${reference}`))
  const hash = digest.subarray(0, 20)
  switch (network) {
    case "BITCOIN":
      return versioned(keyHashVersion, hash)
    case "TRON":
      return versioned(tronVersion, hash)
    case "SOLANA":
      return base58.encode(digest)
    default:
      return `0x${checksumCase(bytesToHex(hash))}`
  }
}

/** The simulator's id of a payment, derived from our reference. */
export const simulatorPaymentId = (rail: BuiltInRail, reference: string): string =>
  `${rail}_${sha256Hex(reference).slice(0, 24)}`

/** A simulated payment moves money once, so its id is also the id of its movement. */
export const movementsOf = ({
  kind,
  money,
  rail,
  reference,
  state
}: Pick<SimulatorPayment, "kind" | "money" | "rail" | "reference" | "state">): ReadonlyArray<Movement> =>
  state === "completed" ? [{ kind, id: simulatorPaymentId(rail, reference), amount: money, state: "settled" }] : []

const accountFor = (reference: string, nowMillis: number): Readonly<Record<string, string>> => {
  const digest = sha256Hex(reference)
  return {
    account_name: "Corridor Sandbox",
    account_number: (BigInt(`0x${digest}`) % 10_000_000_000n).toString().padStart(10, "0"),
    bank_name: "Corridor Sandbox Bank",
    bank_code: "999",
    reference: `CR${digest.slice(0, 10).toUpperCase()}`,
    expires_at: new Date(nowMillis + Duration.toMillis(simulatorFundingTime)).toISOString()
  }
}

const depositFor = ({ money, reference, walletAddress }: PaymentOrder): Readonly<Record<string, string>> => {
  const usual = isCryptoAssetCode(money.currency) ? networksOf(money.currency)[0] : undefined
  const network = walletAddress?.network ?? usual ?? "ETHEREUM"
  return { address: depositAddress(network, reference), network }
}

/** Waits for an operator; the customer has nothing to do. */
export const byHand: SimulatorAnswer = { state: "processing", nextAction: "wait", actionData: {} }

const usualAnswer = (order: PaymentOrder, nowMillis: number): SimulatorAnswer => {
  if (order.flow === "outbound") return { state: "processing", nextAction: null, actionData: {} }
  switch (methodOf(order)) {
    case "bank_transfer":
      return { state: "pending", nextAction: "bank_transfer", actionData: accountFor(order.reference, nowMillis) }
    case "crypto":
      return { state: "pending", nextAction: "wait", actionData: depositFor(order) }
    case "mobile_money":
      return { state: "processing", nextAction: "wait", actionData: {} }
    default:
      return { state: "processing", nextAction: null, actionData: {} }
  }
}

export const answerTo = (order: PaymentOrder, behaviour: Behaviour, nowMillis: number): SimulatorAnswer => {
  switch (behaviour) {
    case "redirects":
      return { state: "pending", nextAction: "redirect", actionData: { redirect_url: order.checkoutUrl } }
    case "asks_password":
      return { state: "pending", nextAction: "collect_otp", actionData: {} }
    case "pays_by_link":
      return { state: "pending", nextAction: "pay_by_link", actionData: { payment_link: order.checkoutUrl } }
    case "by_hand":
      return byHand
    default:
      return usualAnswer(order, nowMillis)
  }
}

export const acceptedAs = ({ answer, rail, reference }: SimulatorPayment): Accepted =>
  new Accepted({
    providerPaymentId: simulatorPaymentId(rail, reference),
    providerStatus: answer.state,
    providerData: { rail },
    ...answer
  })

const FAILED_LATER = "The payment failed after it was accepted"

/** Schedules the callbacks of each behaviour. */
export const makeTimers = Effect.gen(function* () {
  const ids = yield* Ids
  const { sandboxRailPace } = yield* Settings
  const soon = Math.ceil(Duration.toMillis(sandboxRailPace))
  const gap = Math.ceil(soon * simulatorDuplicateGap)
  const slowAnswer = soon * simulatorSlowness

  const timerOf = Effect.fnUntraced(function* (
    report: SimulatorState,
    reason: string | null = null,
    dueInMillis: number = soon
  ) {
    const id = yield* ids.next
    const timer: NewSimulatorTimer = {
      timerId: id,
      eventId: id,
      report,
      reason,
      occursInMillis: dueInMillis,
      dueInMillis
    }
    return timer
  })

  const completed = (dueInMillis = soon) => timerOf("completed", null, dueInMillis)

  const timersFor = Effect.fnUntraced(function* (behaviour: Behaviour) {
    switch (behaviour) {
      case "completes":
      case "loses_answer":
        return [yield* completed()]
      case "answers_slowly":
        return [yield* completed(soon + slowAnswer)]
      case "fails_later":
        return [yield* timerOf("failed", FAILED_LATER)]
      case "repeats_callbacks": {
        const first = yield* completed()
        const again = { ...(yield* completed(soon + gap)), eventId: first.eventId, occursInMillis: soon }
        return [first, again, yield* completed(soon + 2 * gap)]
      }
      case "reorders_callbacks": {
        const first = yield* completed()
        const late = yield* timerOf("processing", null, soon + gap)
        return [first, { ...late, occursInMillis: 0 }]
      }
      default:
        return []
    }
  })

  return { timerOf, timersFor, slowAnswer: Duration.millis(slowAnswer) }
})

export type SimulatorTimers = Effect.Effect.Success<typeof makeTimers>

export const signatureHeader = "x-corridor-rail-signature"

const Body = Schema.Struct({
  event_id: Schema.UUID,
  reference: Schema.UUID,
  rail: Schema.Literal(...builtInRails),
  state: Schema.Literal("pending", "processing", "completed", "failed"),
  reason: Schema.NullOr(Schema.String),
  kind: Schema.Literal(...simulatorKinds),
  amount: Schema.String.pipe(Schema.pattern(/^\d+(\.\d+)?$/)),
  currency: Schema.typeSchema(AnyCurrencyCode),
  occurred_at: Schema.String
})
const decodeBody = compileDecoder(Schema.parseJson(Body))

const signatureOf = (vault: VaultService, body: Buffer): string => vault.hmac(body, "rail-callback")

/** Deterministic: every delivery of one timer has the same bytes. */
export const signedCallback = (
  vault: VaultService,
  timer: Omit<SimulatorTimer, "dueInMillis">
): Pick<CallbackRequest, "headers" | "body"> => {
  const { eventId, kind, money, occurredAt, rail, reason, reference, report } = timer
  const moves = { kind, amount: money.toNumericText(), currency: money.currency }
  const at = occurredAt.toISOString()
  const about: typeof Body.Encoded = {
    event_id: eventId,
    reference,
    rail,
    state: report,
    reason,
    ...moves,
    occurred_at: at
  }
  const body = Buffer.from(JSON.stringify(about))
  const headers = { "content-type": "application/json", [signatureHeader]: signatureOf(vault, body) }
  return { headers, body }
}

export const readCallback = (vault: VaultService, rail: BuiltInRail) =>
  Effect.fnUntraced(function* ({ body: bytes, headers }: Pick<CallbackRequest, "headers" | "body">) {
    const proof = yield* Proof.from(
      Check.same(signatureOf(vault, bytes), headers[signatureHeader]),
      "The signature is missing or wrong"
    )
    const body = yield* Either.mapLeft(
      decodeBody(bytes.toString("utf8")),
      () => new NoProof({ message: "The body is not a simulator's callback" })
    )
    if (body.rail !== rail) return yield* new NoProof({ message: `The callback is of the ${body.rail} simulator` })
    const providerPaymentId = simulatorPaymentId(rail, body.reference)
    const { reason, state } = body
    const movements = movementsOf({ money: moneyOf(body.amount, body.currency), ...body })
    const event = new VerifiedReport({
      key: body.event_id,
      attempt: { reference: body.reference, providerPaymentId },
      report: new Report({ state, reason, providerPaymentId, providerStatus: state, ...withMovements(movements) }),
      proof
    })
    const callback: Callback = { events: [event] }
    return callback
  })
