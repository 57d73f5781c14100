/** Tests an account by calls that move nothing, and reads what the provider tells of it. */
import { Effect, Either, Option } from "effect"
import type { Money } from "../../domain/Money.ts"
import type { AccountFacts } from "./Provider.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { isOk } from "../client/ProviderReplies.ts"

type Asked = Effect.Effect<ProviderReply, { readonly reason: string }>

/** `reads`: right where the answer says that the credentials are taken. */
export const triedBy = <A>(
  asked: Effect.Effect<A, { readonly reason: string }>,
  reads: (answer: A) => Either.Either<AccountFacts, string>
): Effect.Effect<Either.Either<AccountFacts, string>> =>
  Effect.match(asked, { onFailure: ({ reason }) => Either.left(reason), onSuccess: reads })

/** `key`: what is not taken where the answer is 401 or 403. `tells`: may ask further. */
export const accountTest = <A>(
  asked: Asked,
  key: string,
  decode: (json: unknown) => Either.Either<A, unknown>,
  tells: (about: A) => Effect.Effect<AccountFacts>
): Effect.Effect<Either.Either<AccountFacts, string>> =>
  Effect.either(
    Effect.gen(function* () {
      const { json, status } = yield* Effect.mapError(asked, ({ reason }) => reason)
      if (status === 401 || status === 403) return yield* Effect.fail(`It does not take ${key}`)
      if (status !== 200) return yield* Effect.fail(`HTTP ${status}`)
      const about = yield* Either.mapLeft(decode(json), () => "HTTP 200 with a body that cannot be read")
      return yield* tells(about)
    })
  )

/** A further question. The credentials were taken before, so that one without an answer only leaves facts untold. */
export const alsoTold = <A>(asked: Asked, decode: (json: unknown) => Option.Option<A>): Effect.Effect<A | undefined> =>
  Effect.match(asked, {
    onFailure: () => undefined,
    onSuccess: (reply) => (isOk(reply) ? Option.getOrUndefined(decode(reply.json)) : undefined)
  })

/** An amount that is no money of ours, such as one below zero, is shown as it was told. */
export const balanceText = (money: Option.Option<Money>, amount: string, currency: string): string =>
  Option.match(money, { onNone: () => `${amount} (minor units) ${currency.toUpperCase()}`, onSome: String })

/** Facts of an account in one line, for the result of a test. */
export const factsText = ({ balances, name, note, rights }: AccountFacts): string => {
  const told = [
    ...(name === undefined ? [] : [`account ${name}`]),
    ...(balances === undefined ? [] : [balances.length === 0 ? "no balance" : `balances ${balances.join(", ")}`]),
    ...(rights === undefined ? [] : [`rights ${rights.length === 0 ? "none" : rights.join(", ")}`]),
    ...(note === undefined ? [] : [note])
  ]
  return told.length === 0 ? "It took the credentials." : told.join("; ")
}
