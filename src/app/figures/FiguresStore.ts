/** What waits in the database, in a few numbers for the metrics. */
import { Context, Schema } from "effect"
import { AnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { ProviderName } from "../../domain/Corridor.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

/** How many there are, and for how many seconds the oldest of them has been there. */
const waiting = { count: Schema.Number, oldest: Schema.Number }

export const operatorItemKinds = ["unknown_outcome", "suspense", "review", "resolution", "escrow_payout"] as const

export const Figures = Schema.Struct({
  unknown: Schema.Array(Schema.Struct({ provider: ProviderName, ...waiting })),
  items: Schema.Array(Schema.Struct({ kind: Schema.Literal(...operatorItemKinds), ...waiting })),
  /** Proved callbacks whose payment nobody has found for a while; none where an older version has read the figures. */
  strays: Schema.optional(Schema.Array(Schema.Struct({ provider: ProviderName, ...waiting }))),
  queue: Schema.Struct({
    ...waiting,
    /** For how many seconds the one that is longest overdue could have been sent. */
    overdue: Schema.Number
  }),
  /** In each currency, what came in for which there is no place, less what went out. */
  suspense: Schema.Array(Schema.Struct({ currency: AnyCurrencyCode, amount: Schema.String })),
  /** In each currency, what exchanges took in less what they gave out; none where an older version read the figures. */
  fx: Schema.optional(Schema.Array(Schema.Struct({ currency: AnyCurrencyCode, amount: Schema.String })))
})
export type Figures = typeof Figures.Type

export class FiguresStore extends Context.Tag("corridor/FiguresStore")<
  FiguresStore,
  {
    /** Those that any instance has read within the rest, else read anew. */
    readonly current: Stored<Figures>
  }
>() {}
