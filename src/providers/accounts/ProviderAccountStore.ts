/** Stores of the configurations' accounts, with encrypted credentials, and of the platform's account fingerprints. */
import { Context, type Option, Schema } from "effect"
import { ConfigId } from "../../domain/Ids.ts"
import { ProviderName } from "../../domain/Corridor.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

export const ProviderAccount = Schema.Struct({
  config_id: ConfigId,
  provider: ProviderName,
  sealed: Schema.String,
  /** Incremented with every change of the credentials. */
  version: Schema.Int,
  tested_at: Schema.NullOr(Schema.DateFromSelf),
  updated_at: Schema.DateFromSelf
})

export type ProviderAccount = typeof ProviderAccount.Type

export const SealedAccount = ProviderAccount.pipe(Schema.pick("config_id", "sealed"))
export type SealedAccount = typeof SealedAccount.Type

export const NamedSealed = ProviderAccount.pipe(Schema.pick("config_id", "provider", "sealed"))
export type NamedSealed = typeof NamedSealed.Type

/** Replaced credentials. Callbacks may still be signed with them. */
export const ReplacedCredentials = Schema.Struct({
  config_id: ConfigId,
  sealed: Schema.String,
  /** Version of the account that they were. */
  version: Schema.Int,
  until: Schema.DateFromSelf
})
export type ReplacedCredentials = typeof ReplacedCredentials.Type

export const SealedReplaced = ReplacedCredentials.pipe(Schema.omit("until"))
export type SealedReplaced = typeof SealedReplaced.Type

export interface NewAccount extends Pick<ProviderAccount, "config_id" | "provider" | "sealed"> {
  /** Whether the provider accepted them in a test. */
  readonly tested: boolean
}

export class ProviderAccountStore extends Context.Tag("corridor/ProviderAccountStore")<
  ProviderAccountStore,
  {
    readonly find: (id: ConfigId) => Stored<Option.Option<ProviderAccount>>
    /** None, and no change, where untested credentials would replace tested ones. */
    readonly put: (account: NewAccount) => Stored<Option.Option<ProviderAccount>>
    /** Newest first, within their grace period; without those that were never in use. */
    readonly replaced: (id: ConfigId) => Stored<ReadonlyArray<ReplacedCredentials>>
    readonly forgetReplaced: (id: ConfigId) => Stored<void>
    /** None if the credentials have changed since. */
    readonly markTested: (id: ConfigId, version: number) => Stored<Option.Option<ProviderAccount>>
    /** Locks the accounts until the end of the transaction. */
    readonly hold: Stored<void>
    readonly allSealed: Stored<ReadonlyArray<NamedSealed>>
    /** Re-encrypts the same credentials; the version stays. */
    readonly replaceSealed: (account: SealedAccount) => Stored<void>
    readonly allReplaced: Stored<ReadonlyArray<SealedReplaced>>
    readonly resealReplaced: (replaced: SealedReplaced) => Stored<void>
    /** Deletes those past their grace period, and counts them. */
    readonly forgetOld: Stored<number>
  }
>() {}

/** Fingerprint of the platform's credentials, as seen by instances. No credential is stored. */
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
    /** Records these as in use now, and returns all that ever were. */
    readonly see: (named: ReadonlyArray<NamedAccount>) => Stored<ReadonlyArray<PlatformAccount>>
  }
>() {}
