/** MTN signs nothing that it calls back with: anyone can write it, so that it only makes us ask. */
import { Either, Option, Schema } from "effect"
import { type Callback, type CallbackRequest, Hint } from "../port/Callback.ts"
import { readJson } from "../port/WireValues.ts"

const text = Schema.optionalWith(Schema.String, { nullable: true })

const namesIn = Schema.decodeUnknownOption(Schema.Struct({ externalId: text, referenceId: text }))

export const callbackEvents = ({ body, headers }: CallbackRequest): Callback => {
  const names = Option.flatMap(Either.getRight(readJson(body.toString("utf8"))), namesIn)
  const reference = Option.match(names, {
    onNone: () => headers["x-reference-id"],
    onSome: ({ externalId, referenceId }) => externalId ?? referenceId ?? headers["x-reference-id"]
  })
  return {
    isUnsigned: true,
    events: reference === undefined ? [] : [new Hint({ attempt: { reference, providerPaymentId: null } })]
  }
}
