/** MTN does not sign callbacks, so they only trigger an enquiry. */
import { Option, Schema } from "effect"
import { type Callback, type CallbackRequest, Hint, jsonOfBody } from "../port/Callback.ts"
import { optionalText } from "../port/WireValues.ts"

const namesIn = Schema.decodeUnknownOption(Schema.Struct({ externalId: optionalText, referenceId: optionalText }))

export const callbackEvents = ({ body, headers }: CallbackRequest): Callback => {
  const names = Option.flatMap(jsonOfBody({ body }), namesIn)
  const reference = Option.match(names, {
    onNone: () => headers["x-reference-id"],
    onSome: ({ externalId, referenceId }) => externalId ?? referenceId ?? headers["x-reference-id"]
  })
  return {
    isUnsigned: true,
    events: reference === undefined ? [] : [new Hint({ attempt: { reference, providerPaymentId: null } })]
  }
}
