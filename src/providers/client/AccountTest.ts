/** Whether an account is taken, by the answer to a question that moves nothing. */
import { Effect, Either } from "effect"
import type { CallFailed, ProviderReply } from "./ProviderHttp.ts"

/** `reads`: right where the answer says that it is taken. */
export const triedBy = <A>(
  asked: Effect.Effect<A, { readonly reason: string }>,
  reads: (answer: A) => Either.Either<string, string>
): Effect.Effect<Either.Either<string, string>> =>
  Effect.match(asked, { onFailure: ({ reason }) => Either.left(reason), onSuccess: reads })

/** `key`: what is not taken where the answer is 401 or 403. */
export const accountTest = <A>(
  asked: Effect.Effect<ProviderReply, CallFailed>,
  key: string,
  decode: (json: unknown) => Either.Either<A, unknown>,
  says: (about: A) => string
): Effect.Effect<Either.Either<string, string>> =>
  triedBy(asked, ({ json, status }) => {
    if (status === 401 || status === 403) return Either.left(`It does not take ${key}`)
    if (status !== 200) return Either.left(`HTTP ${status}`)
    return Either.mapBoth(decode(json), { onLeft: () => "HTTP 200 with a body that cannot be read", onRight: says })
  })
