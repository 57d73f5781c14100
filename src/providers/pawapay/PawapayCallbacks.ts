/** From pawaPay's callbacks to what they say. One without a signature says nothing for certain, and pawaPay is asked. */
import { Effect, Either, Option, Schema } from "effect"
import { sha256Hex } from "../../domain/Digest.ts"
import {
  type Callback,
  type CallbackRequest,
  Check,
  Hint,
  type Named,
  NoProof,
  Proof,
  Statement
} from "../port/Callback.ts"
import { readJson } from "../port/WireJson.ts"
import { checkSignature, readSigned, type Signed } from "./HttpSignature.ts"
import { decodeTransaction, isKnownStatus, reportOf } from "./PawapayAnswers.ts"
import { type Kind, kinds } from "./PawapayRequests.ts"
import type { PublicKeys } from "./PublicKeys.ts"

const Id = Schema.optionalWith(Schema.String, { nullable: true })
const decodeIds = Schema.decodeUnknownOption(Schema.Struct({ refundId: Id, payoutId: Id, depositId: Id }))

interface About {
  readonly kind: Kind
  readonly reference: string
}

/** A refund is looked for first: it might name its deposit too. */
const aboutOf = (json: unknown): Option.Option<About> =>
  Option.flatMap(decodeIds(json), (ids) =>
    Option.fromNullable(
      (["refund", "payout", "deposit"] as const)
        .map((kind) => ({ kind, reference: ids[kinds[kind].id] }))
        .find((about): about is About => about.reference !== undefined)
    )
  )

const namedBy = ({ reference }: About): Named => ({ reference, providerPaymentId: reference })

const nothingOfOurs: Callback = { events: [] }

const bodyOf = ({ body }: CallbackRequest): unknown => Either.getOrUndefined(readJson(body.toString("utf8")))

const hintOf = (request: CallbackRequest): Callback =>
  Option.match(aboutOf(bodyOf(request)), {
    onNone: () => nothingOfOurs,
    onSome: (about) => ({ events: [new Hint({ attempt: namedBy(about) })] })
  })

/** pawaPay numbers no callbacks, and sends the same bytes again: their digest is its key. */
const statementOf = (request: CallbackRequest, proof: Proof): Callback => {
  const json = bodyOf(request)
  return Option.match(aboutOf(json), {
    onNone: () => nothingOfOurs,
    onSome: (about) => {
      const attempt = namedBy(about)
      const report = Option.flatMap(Either.getRight(decodeTransaction(json)), (transaction) =>
        reportOf(about.kind, about.reference, transaction)
      )
      return {
        events: [
          Option.match(report, {
            onNone: () => new Hint({ attempt }),
            onSome: (said) => new Statement({ key: sha256Hex(request.body), attempt, report: said, proof })
          })
        ]
      }
    }
  })
}

/** A key that does not fit may have been replaced since it was read. */
const prove = (keys: PublicKeys, signed: Signed) =>
  Effect.gen(function* () {
    const proofBy = Effect.fnUntraced(function* (isFresh: boolean) {
      const key = yield* keys.find(signed.keyId, isFresh)
      const check = Option.match(key, { onNone: () => Check.failed, onSome: (one) => checkSignature(one, signed) })
      return yield* Proof.from(check, `The signature does not fit the key ${signed.keyId}`)
    })
    return yield* Effect.catchTag(proofBy(false), "NoProof", () => proofBy(true))
  })

const warnOfStatus = ({ events }: Callback) =>
  Effect.forEach(
    events,
    (event) =>
      event._tag === "Hint" || isKnownStatus(event.report.providerStatus)
        ? Effect.void
        : Effect.logWarning(`pawaPay calls back with a status that is not known: ${event.report.providerStatus}`),
    { discard: true }
  )

export const readCallback = (
  keys: PublicKeys,
  request: CallbackRequest,
  nowMillis: number
): Effect.Effect<Callback, NoProof> => {
  const { headers } = request
  if (headers["signature"] === undefined && headers["signature-input"] === undefined) {
    return Effect.succeed(hintOf(request))
  }
  return Effect.gen(function* () {
    const signed = yield* Either.mapLeft(readSigned(request, nowMillis), (message) => new NoProof({ message }))
    const callback = statementOf(request, yield* prove(keys, signed))
    yield* warnOfStatus(callback)
    return callback
  }).pipe(
    Effect.catchTag("KeysOutOfReach", ({ reason }) =>
      Effect.as(Effect.logWarning(`pawaPay's public keys cannot be read: ${reason}`), hintOf(request))
    )
  )
}
