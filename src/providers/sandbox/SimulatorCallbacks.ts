/** Signed callbacks of the simulators. */
import { Effect, Schema } from "effect"
import { type BuiltInRail, builtInRails } from "../../domain/Corridor.ts"
import { AnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { Report } from "../../domain/Outcome.ts"
import { moneyOf } from "../../platform/database/Query.ts"
import { withMovements } from "../client/ProviderReplies.ts"
import { type Callback, type CallbackRequest, Check, NoProof, Proof, Statement } from "../port/Callback.ts"
import type { VaultService } from "../../platform/secrets/Vault.ts"
import { movementsOf, simulatorPaymentId } from "./SimulatorAnswers.ts"
import { simulatorKinds, type SimulatorTimer } from "./SimulatorStore.ts"

export const signatureHeader = "x-corridor-rail-signature"

const Body = Schema.parseJson(
  Schema.Struct({
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
)
const decodeBody = Schema.decodeUnknown(Body)
const encodeBody = Schema.encodeSync(Body)

const signatureOf = (vault: VaultService, body: Buffer): string => vault.hmac(body, "rail-callback")

/** Deterministic: every delivery of one timer has the same bytes. */
export const signedCallback = (
  vault: VaultService,
  timer: SimulatorTimer
): Pick<CallbackRequest, "headers" | "body"> => {
  const { eventId, kind, money, occurredAt, rail, reason, reference, report } = timer
  const moves = { kind, amount: money.toNumericText(), currency: money.currency }
  const at = occurredAt.toISOString()
  const about = { event_id: eventId, reference, rail, state: report, reason, ...moves, occurred_at: at }
  const body = Buffer.from(encodeBody(about))
  const headers = { "content-type": "application/json", [signatureHeader]: signatureOf(vault, body) }
  return { headers, body }
}

export const readCallback = (vault: VaultService, rail: BuiltInRail) =>
  Effect.fnUntraced(function* ({ body: bytes, headers }: Pick<CallbackRequest, "headers" | "body">) {
    const proof = yield* Proof.from(
      Check.same(signatureOf(vault, bytes), headers[signatureHeader]),
      "The signature is missing or wrong"
    )
    const body = yield* decodeBody(bytes.toString("utf8")).pipe(
      Effect.mapError(() => new NoProof({ message: "The body is not a rail's callback" }))
    )
    if (body.rail !== rail) return yield* new NoProof({ message: `The callback is of the ${body.rail} rail` })
    const providerPaymentId = simulatorPaymentId(rail, body.reference)
    const { reason, state } = body
    const movements = movementsOf({ ...body, money: moneyOf(body.amount, body.currency) })
    const event = new Statement({
      key: body.event_id,
      attempt: { reference: body.reference, providerPaymentId },
      report: new Report({ state, reason, providerPaymentId, providerStatus: state, ...withMovements(movements) }),
      proof
    })
    const callback: Callback = { events: [event] }
    return callback
  })
