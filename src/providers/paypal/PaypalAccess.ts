/** Tokens, and the word of PayPal about callbacks. */
import { Either, Option, Schema } from "effect"
import { Declined } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { Check } from "../port/Callback.ts"
import { credentialsRefused } from "../client/ProviderReplies.ts"
import type { Granted } from "../client/AccessTokens.ts"
import { isFine } from "./PaypalWire.ts"

const readToken = Schema.decodeUnknownOption(
  Schema.Struct({ access_token: Schema.String, expires_in: Schema.NumberFromString })
)

export const tokenGranted = (reply: ProviderReply): Either.Either<Granted, Declined> => {
  if (reply.status === 401 || reply.status === 403) return Either.left(credentialsRefused(reply))
  const token = Option.filter(readToken(reply.json), () => isFine(reply))
  return Either.fromOption(
    Option.map(token, ({ access_token, expires_in }) => ({ token: access_token, expiresInSeconds: expires_in })),
    () =>
      new Declined({
        reason: `HTTP ${reply.status}: it gave no access token`,
        code: reply.status === 429 ? "PROVIDER_BUSY" : "PROVIDER_UNAVAILABLE",
        providerCode: `${reply.status}`
      })
  )
}

const readVerification = Schema.decodeUnknownOption(Schema.Struct({ verification_status: Schema.String }))

/** PayPal's word on it; none where its answer is about something else than the callback, such as our own account. */
export const verification = (reply: ProviderReply): Option.Option<Check<"vendor">> => {
  // What it cannot even read is nothing of its own.
  if (reply.status === 400 || reply.status === 422) return Option.some(Check.failed)
  return Option.map(readVerification(isFine(reply) ? reply.json : undefined), ({ verification_status: status }) =>
    Check.confirmed("SUCCESS", status)
  )
}
