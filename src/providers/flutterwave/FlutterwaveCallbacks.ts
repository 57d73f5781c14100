/** Flutterwave sends one secret with every callback and signs no body, so a callback only triggers an enquiry. */
import { Either, Option, Redacted, Schema } from "effect"
import {
  type Callback,
  type CallbackRequest,
  Hint,
  isSame,
  jsonOfBody,
  NoProof,
  secretNotSet
} from "../port/Callback.ts"
import { optional, optionalText } from "../client/WireValues.ts"

const Named = optional(
  Schema.Struct({ id: optionalText, tx_ref: optionalText, txRef: optionalText, reference: optionalText })
)

/** As it is now, and as accounts that are older still get it: flat, or with the transfer by itself. */
const Names = Schema.Struct({ data: Named, transfer: Named, id: optionalText, txRef: optionalText })

const namesIn = Schema.decodeUnknownOption(Names)

const hintIn = (body: Buffer): ReadonlyArray<Hint> => {
  const said = Option.flatMap(jsonOfBody({ body }), namesIn)
  const { data, id, transfer, txRef } = Option.getOrElse(said, (): typeof Names.Type => ({}))
  const reference = data?.tx_ref ?? data?.txRef ?? data?.reference ?? transfer?.reference ?? txRef
  const providerPaymentId = data?.id ?? transfer?.id ?? id ?? null
  return reference === undefined ? [] : [new Hint({ attempt: { reference, providerPaymentId } })]
}

export const callbackEvents = (
  { body, headers }: CallbackRequest,
  secret: Redacted.Redacted | undefined
): Either.Either<Callback, NoProof> => {
  if (secret === undefined) return Either.left(secretNotSet("FLUTTERWAVE_WEBHOOK_SECRET"))
  return isSame(Redacted.value(secret), headers["verif-hash"])
    ? Either.right({ events: hintIn(body) })
    : Either.left(new NoProof({ message: "verif-hash is not our secret hash" }))
}
