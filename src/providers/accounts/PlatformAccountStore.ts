/** The platform's accounts as instances have named them, at rest: no credential is kept, only a fingerprint. */
import { Context, Schema } from "effect"
import { ProviderName } from "../../domain/Corridor.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

export const PlatformAccount = Schema.Struct({
  provider: ProviderName,
  fingerprint: Schema.String,
  first_seen_at: Schema.DateFromSelf,
  last_seen_at: Schema.DateFromSelf
})

export type PlatformAccount = typeof PlatformAccount.Type

export type NamedAccount = Pick<PlatformAccount, "provider" | "fingerprint">

export class PlatformAccountStore extends Context.Tag("corridor/PlatformAccountStore")<
  PlatformAccountStore,
  {
    /** Notes that these are in use now, and answers with all that ever were. */
    readonly see: (named: ReadonlyArray<NamedAccount>) => Stored<ReadonlyArray<PlatformAccount>>
  }
>() {}
