/** The accounts that configurations bring, at rest: their credentials sealed, and whether the provider has taken them. */
import { Context, type Option, Schema } from "effect"
import { ConfigId } from "../../domain/Ids.ts"
import { ProviderName } from "../../domain/Corridor.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

export const ProviderAccount = Schema.Struct({
  config_id: ConfigId,
  provider: ProviderName,
  sealed: Schema.String,
  /** One more with every change of the credentials. */
  version: Schema.Int,
  tested_at: Schema.NullOr(Schema.DateFromSelf),
  updated_at: Schema.DateFromSelf
})

export type ProviderAccount = typeof ProviderAccount.Type

export const SealedAccount = ProviderAccount.pipe(Schema.pick("config_id", "sealed"))
export type SealedAccount = typeof SealedAccount.Type

export const NamedSealed = ProviderAccount.pipe(Schema.pick("config_id", "provider", "sealed"))
export type NamedSealed = typeof NamedSealed.Type

/** Credentials that were in use before the present ones, which callbacks may still be signed with. */
export const ReplacedCredentials = Schema.Struct({
  config_id: ConfigId,
  sealed: Schema.String,
  /** Which of the account's they were. */
  version: Schema.Int,
  until: Schema.DateFromSelf
})
export type ReplacedCredentials = typeof ReplacedCredentials.Type

export const SealedReplaced = ReplacedCredentials.pipe(Schema.omit("until"))
export type SealedReplaced = typeof SealedReplaced.Type

export interface NewAccount extends Pick<ProviderAccount, "config_id" | "provider" | "sealed"> {
  /** Whether the provider has just taken them. */
  readonly tested: boolean
}

export class ProviderAccountStore extends Context.Tag("corridor/ProviderAccountStore")<
  ProviderAccountStore,
  {
    readonly find: (id: ConfigId) => Stored<Option.Option<ProviderAccount>>
    /** None where what was not tested would take the place of what was: then all stays as it is. */
    readonly put: (account: NewAccount) => Stored<Option.Option<ProviderAccount>>
    /** Newest first, each until its grace has passed. Those that were never in use are not among them. */
    readonly replaced: (id: ConfigId) => Stored<ReadonlyArray<ReplacedCredentials>>
    readonly forgetReplaced: (id: ConfigId) => Stored<void>
    /** None where they have been changed since. */
    readonly markTested: (id: ConfigId, version: number) => Stored<Option.Option<ProviderAccount>>
    /** Locks the accounts until the end of the transaction. */
    readonly hold: Stored<void>
    readonly allSealed: Stored<ReadonlyArray<NamedSealed>>
    /** The same credentials under another key: their version stays. */
    readonly replaceSealed: (account: SealedAccount) => Stored<void>
    readonly allReplaced: Stored<ReadonlyArray<SealedReplaced>>
    readonly resealReplaced: (replaced: SealedReplaced) => Stored<void>
    /** Those whose grace has passed; how many they were. */
    readonly forgetOld: Stored<number>
  }
>() {}

/** The platform's accounts as instances have named them, at rest: no credential is kept, only a fingerprint. */
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
