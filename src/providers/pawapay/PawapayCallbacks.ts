/**
 * Callbacks of pawaPay, all of them hints. pawaPay signs for every merchant with the same published keys. Each merchant
 * chooses its own ids and callback address, and the body names no merchant. So the signature proves pawaPay, not the
 * account. A wrong signature is refused.
 */
import { Effect, Either, Option } from "effect"
import { type Callback, type CallbackRequest, Check, Hint, jsonOfBody, NoProof, Proof } from "../port/Callback.ts"
import { optionalText, objectReader } from "../client/WireValues.ts"
import { checkSignature, readSigned, type Signed, type PublicKeys } from "./PawapaySignatures.ts"

const decodeIds = objectReader({ refundId: optionalText, payoutId: optionalText, depositId: optionalText })

/** A refund is looked for first: it might name its deposit too. */
const referenceIn = (json: unknown): Option.Option<string> =>
  Option.flatMap(decodeIds(json), ({ depositId, payoutId, refundId }) =>
    Option.fromNullable(refundId ?? payoutId ?? depositId)
  )

const hintOf = ({ body }: CallbackRequest): Callback => {
  const reference = referenceIn(Option.getOrUndefined(jsonOfBody({ body })))
  const hints = Option.map(reference, (one) => new Hint({ attempt: { reference: one, providerPaymentId: one } }))
  return { events: Option.toArray(hints) }
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

export const readCallback = (
  keys: PublicKeys,
  request: CallbackRequest,
  nowMillis: number
): Effect.Effect<Callback, NoProof> => {
  const { headers } = request
  if (headers["signature"] === undefined && headers["signature-input"] === undefined) {
    return Effect.succeed({ ...hintOf(request), isUnsigned: true })
  }
  return Effect.gen(function* () {
    const signed = yield* Either.mapLeft(readSigned(request, nowMillis), (message) => new NoProof({ message }))
    yield* prove(keys, signed)
    return hintOf(request)
  }).pipe(
    Effect.catchTag("KeysOutOfReach", ({ reason }) =>
      Effect.as(Effect.logWarning(`pawaPay's public keys cannot be read: ${reason}`), {
        ...hintOf(request),
        isUnsigned: true as const
      })
    )
  )
}
