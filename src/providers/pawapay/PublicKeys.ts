/** The keys by which pawaPay's signatures are checked: the account's own setting, or those that pawaPay publishes. */
import { createPublicKey, type KeyObject } from "node:crypto"
import { Clock, Data, Duration, Effect, Either, Option, Redacted, Schema } from "effect"
import type { ProviderHttp } from "../client/ProviderHttp.ts"

/** Nobody can say now: it is neither a good signature nor a bad one. */
export class KeysOutOfReach extends Data.TaggedError("KeysOutOfReach")<{ readonly reason: string }> {}

export interface PublicKeys {
  /** `fresh`: what is at hand did not fit. They are asked for once in a while, however often somebody wants them. */
  readonly find: (keyId: string, fresh: boolean) => Effect.Effect<Option.Option<KeyObject>, KeysOutOfReach>
}

const Published = Schema.Array(Schema.Struct({ id: Schema.String, key: Schema.String }))
const decodePublished = Schema.decodeUnknownEither(Published)

const tryAgainAfter = Duration.toMillis(Duration.seconds(5))
const askAgainAfter = Duration.toMillis(Duration.minutes(1))
const keptFor = Duration.toMillis(Duration.hours(6))

export const readKey = (pem: string): Option.Option<KeyObject> =>
  // A setting of one line has its line ends written out.
  Either.getRight(Either.try(() => createPublicKey(pem.replaceAll("\\n", "\n"))))

const ownKey = (pem: Redacted.Redacted): PublicKeys => {
  const key = readKey(Redacted.value(pem))
  return { find: () => Effect.succeed(key) }
}

const publishedKeys = (http: ProviderHttp): PublicKeys => {
  let keys: ReadonlyMap<string, KeyObject> = new Map()
  let askedAt = Number.NEGATIVE_INFINITY
  let failedAt = Number.NEGATIVE_INFINITY

  const ask = Effect.gen(function* () {
    const call = { operation: "read public keys", method: "GET", path: "/public-key/http" } as const
    const { json, status } = yield* Effect.mapError(http.call(call), ({ reason }) => new KeysOutOfReach({ reason }))
    const published = decodePublished(json)
    if (status !== 200 || Either.isLeft(published)) {
      return yield* new KeysOutOfReach({ reason: `HTTP ${status} instead of public keys` })
    }
    keys = new Map(
      published.right.flatMap(({ id, key }) =>
        Option.match(readKey(key), { onNone: () => [], onSome: (one) => [[id, one] as const] })
      )
    )
    askedAt = yield* Clock.currentTimeMillis
  })

  const turn = Effect.unsafeMakeSemaphore(1)
  return {
    find: (keyId, fresh) =>
      turn.withPermits(1)(
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const wanting = fresh || !keys.has(keyId)
          const isDue = now - askedAt >= (wanting ? askAgainAfter : keptFor)
          if (isDue && now - failedAt < tryAgainAfter) return yield* new KeysOutOfReach({ reason: "asked just now" })
          if (isDue) yield* Effect.tapError(ask, () => Effect.sync(() => (failedAt = now)))
          return Option.fromNullable(keys.get(keyId))
        })
      )
  }
}

export const makePublicKeys = (http: ProviderHttp, own: Redacted.Redacted | undefined): PublicKeys =>
  own === undefined ? publishedKeys(http) : ownKey(own)
