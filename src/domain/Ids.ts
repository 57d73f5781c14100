/** Time-ordered UUIDs (version 7) from Effect's Clock and an exchangeable source of random bytes. */
import { Context, Effect, Layer, Random, Schema } from "effect"
import { randomBytes } from "node:crypto"

/** Branded ids: mixing them up does not compile. */
export const PaymentId = Schema.String.pipe(Schema.brand("PaymentId"))
export type PaymentId = typeof PaymentId.Type

/** Id of an attempt, and of its refund: refunds have the id of their attempt. */
export const AttemptId = Schema.String.pipe(Schema.brand("AttemptId"))
export type AttemptId = typeof AttemptId.Type

/** Of a payment, and of what moves on a virtual account: a withdrawal and its payment share one. */
export const TransactionId = Schema.String.pipe(Schema.brand("TransactionId"))
export type TransactionId = typeof TransactionId.Type

export const OrgId = Schema.String.pipe(Schema.brand("OrgId"))
export type OrgId = typeof OrgId.Type

export const WebhookId = Schema.String.pipe(Schema.brand("WebhookId"))
export type WebhookId = typeof WebhookId.Type

export const UserId = Schema.String.pipe(Schema.brand("UserId"))
export type UserId = typeof UserId.Type

export const BeneficiaryId = Schema.String.pipe(Schema.brand("BeneficiaryId"))
export type BeneficiaryId = typeof BeneficiaryId.Type

/** Of a virtual account. */
export const AccountId = Schema.String.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

export const EscrowId = Schema.String.pipe(Schema.brand("EscrowId"))
export type EscrowId = typeof EscrowId.Type

/** Of an API key, which is no secret; the key itself is. */
export const KeyId = Schema.String.pipe(Schema.brand("KeyId"))
export type KeyId = typeof KeyId.Type

/** Of a saved view. */
export const ViewId = Schema.String.pipe(Schema.brand("ViewId"))
export type ViewId = typeof ViewId.Type

/** Of a payment link; its reference, which opens it, is no id. */
export const LinkId = Schema.String.pipe(Schema.brand("LinkId"))
export type LinkId = typeof LinkId.Type

/** Of a provider's configuration for a corridor. */
export const ConfigId = Schema.String.pipe(Schema.brand("ConfigId"))
export type ConfigId = typeof ConfigId.Type

/** The schema of any such id. */
export type Naming<Id extends string> = Schema.Schema<Id, string>

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

/** Random bytes of an id. */
const RANDOM_BYTES = 10

const DRAWN_AHEAD = 4096

/** Asking the system for a few bytes costs as much as asking for many; each byte is handed out once. */
const bytesAhead = (): ((count: number) => Uint8Array) => {
  let drawn: Uint8Array = new Uint8Array()
  let used = 0
  return (count) => {
    if (drawn.length - used < count) [drawn, used] = [randomBytes(Math.max(DRAWN_AHEAD, count)), 0]
    used += count
    return drawn.subarray(used - count, used)
  }
}

export const uuidv7 = (millis: number, random: Uint8Array): string => {
  const time = Math.trunc(millis).toString(16).padStart(12, "0")
  const hex = (at: number): string => hexOfByte[random[at]!]!
  const version = hexOfByte[0x70 | (random[0]! & 0x0f)]! + hex(1)
  const variant = hexOfByte[0x80 | (random[2]! & 0x3f)]! + hex(3)
  const rest = hex(4) + hex(5) + hex(6) + hex(7) + hex(8) + hex(9)
  return `${time.slice(0, 8)}-${time.slice(8)}-${version}-${variant}-${rest}`
}

export const nilUuid = "00000000-0000-0000-0000-000000000000"

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Text that cannot be an id names nothing: the nil UUID stands for it, so that every look-up answers "not found". */
export const uuidOrNil = (text: string): string => {
  const lower = text.toLowerCase()
  return uuidShape.test(lower) ? lower : nilUuid
}

/** The same for an id of which it is known what it names. */
export const idOrNil = <Id extends string>(_of: Naming<Id>) => uuidOrNil as (text: string) => Id

/** Ids of one millisecond sort in the order in which they were made: twelve of their bits count, from a random start. */
const makeOrdered = (): typeof uuidv7 => {
  let lastMillis = -1
  let count = 0
  return (millis, random) => {
    const start = ((random[0]! & 0x07) << 8) | random[1]!
    count = millis === lastMillis && count < 0xfff ? count + 1 : start
    lastMillis = millis
    random[0] = count >> 8
    random[1] = count & 0xff
    return uuidv7(millis, random)
  }
}

export class Ids extends Context.Tag("corridor/Ids")<
  Ids,
  {
    readonly next: Effect.Effect<string>
    /** New id. */
    readonly make: <Id extends string>(of: Naming<Id>) => Effect.Effect<Id>
    /** Makes at most so many ids, each when it is asked for. */
    readonly atMost: (count: number) => Effect.Effect<() => string>
    readonly bytes: (count: number) => Effect.Effect<Uint8Array>
  }
>() {
  /** Bytes that are handed out once. */
  static readonly fromBytes = (
    draw: <A>(count: number, make: (random: Uint8Array) => A) => Effect.Effect<A>
  ): Context.Tag.Service<Ids> => {
    const ordered = makeOrdered()
    const drawn = <A>(count: number, make: (millis: number, random: Uint8Array) => A) =>
      Effect.clockWith((clock) => draw(count, (random) => make(clock.unsafeCurrentTimeMillis(), random)))
    const next = drawn(RANDOM_BYTES, ordered)
    return {
      bytes: (count) => draw(count, (random) => random),
      next,
      make: <Id extends string>(_of: Naming<Id>) => next as Effect.Effect<Id>,
      atMost: (count) =>
        Effect.clockWith((clock) =>
          draw(RANDOM_BYTES * count, (random) => {
            let at = 0
            return () => {
              const own = random.subarray(at, (at += RANDOM_BYTES))
              if (own.length < RANDOM_BYTES) throw new Error(`More than the ${count} ids that were drawn`)
              return ordered(clock.unsafeCurrentTimeMillis(), own)
            }
          })
        )
    }
  }

  static readonly layer = Layer.sync(Ids, () => {
    const ahead = bytesAhead()
    return Ids.fromBytes((count, make) => Effect.sync(() => make(ahead(count))))
  })

  /** The same ids for the same seed of Effect's Random. */
  static readonly layerSeeded = Layer.sync(Ids, () =>
    Ids.fromBytes((count, make) =>
      Effect.map(Effect.replicateEffect(Random.nextIntBetween(0, 256), count), (all) => make(Uint8Array.from(all)))
    )
  )
}
