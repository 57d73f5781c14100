/**
 * Time from which the platform's accounts are certainly those of the settings. Settings can change with a restart, and
 * instances with old and new settings run side by side, so they share fingerprints in the database.
 */
import { createHmac, randomBytes } from "node:crypto"
import { Context, Duration, Effect, Layer, Option, Redacted } from "effect"
import type { ThirdPartyName } from "../../domain/Corridor.ts"
import {
  credentialsRetireAfter,
  platformAccountsLook,
  platformAccountsTrusted
} from "../../domain/policies/ProviderPolicies.ts"
import { monotonicMillis } from "../../platform/fibers/Deadlines.ts"
import { unspanned } from "../../platform/observability/Spans.ts"
import { Secrets } from "../../platform/secrets/Secrets.ts"
import { isSame } from "../port/Callback.ts"
import { type NamedAccount, type PlatformAccount, PlatformAccountStore } from "./ProviderAccountStore.ts"
import { ProviderSettings } from "./ProviderSettings.ts"
import { type AnyThirdParty, type GivenCredentials, thirdParties } from "./ThirdParties.ts"
import { orDefect } from "../../platform/database/DatabaseFailure.ts"

/** A key of its own, encrypted under the master key: rotating that key does not change fingerprints. */
const KEY_NAME = "fingerprints of platform accounts"

const freshKey = Effect.sync(() => randomBytes(32).toString("hex"))

/** Covers all credentials and the address: any of them may identify the account. */
const fingerprintOf = (
  key: string,
  provider: ThirdPartyName,
  baseUrl: string,
  credentials: GivenCredentials
): string => {
  const fields = Object.entries(credentials)
    .map(([name, value]) => [name, Redacted.value(value)])
    .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1))
  return createHmac("sha256", key)
    .update(JSON.stringify([provider, baseUrl, fields]))
    .digest("hex")
}

/**
 * Fingerprints of the identifying fields, under a key of this process. Lower case: third parties may ignore case, and no
 * two accounts differ by case alone.
 */
const identityOf = (
  key: Buffer,
  { fields }: Pick<AnyThirdParty, "fields">,
  credentials: GivenCredentials
): ReadonlyMap<string, Buffer> =>
  new Map(
    Object.entries(credentials)
      .filter(([name]) => fields[name]?.identifies === true)
      .map(([name, value]) => [name, createHmac("sha256", key).update(Redacted.value(value).toLowerCase()).digest()])
  )

/** Attempts of the time with another account, and of a grace period after it, may have gone to that account. */
const certainSince = (named: NamedAccount, all: ReadonlyArray<PlatformAccount>): Date => {
  const times = all
    .filter(({ provider }) => provider === named.provider)
    .map(({ fingerprint, first_seen_at, last_seen_at }) =>
      fingerprint === named.fingerprint
        ? first_seen_at.getTime()
        : last_seen_at.getTime() + Duration.toMillis(credentialsRetireAfter)
    )
  return new Date(Math.max(...times))
}

const endOfTime = new Date(8_640_000_000_000_000)

export class PlatformAccounts extends Context.Tag("corridor/PlatformAccounts")<
  PlatformAccounts,
  {
    /** For an account of the settings. Absence of attempts from before is no proof. */
    readonly since: (name: ThirdPartyName) => Effect.Effect<Date>
    /**
     * The field that shows these credentials to be the platform's own account. A configuration may not use that account:
     * two ledgers would pay out the same money.
     */
    readonly sharedBy: (party: AnyThirdParty, credentials: GivenCredentials) => Option.Option<string>
  }
>() {
  static readonly layer = Layer.scoped(
    PlatformAccounts,
    Effect.gen(function* () {
      const { parties } = yield* ProviderSettings
      const store = yield* PlatformAccountStore
      const secrets = yield* Secrets
      const named: Array<NamedAccount & { readonly provider: ThirdPartyName }> = []
      if (Array.from(parties.values()).some(({ platform }) => Option.isSome(platform))) {
        const key = yield* orDefect(secrets.getOrMake(KEY_NAME, freshKey))
        for (const [provider, { baseUrl, platform }] of parties) {
          if (Option.isNone(platform)) continue
          named.push({ provider, fingerprint: fingerprintOf(key, provider, baseUrl, platform.value) })
        }
      }

      let certain: ReadonlyMap<ThirdPartyName, Date> = new Map()
      let lookedAt = 0
      const look = Effect.gen(function* () {
        const before = yield* monotonicMillis
        const all = yield* store.see(named)
        certain = new Map(named.map((one) => [one.provider, certainSince(one, all)]))
        lookedAt = before
      })

      if (named.length > 0) {
        yield* look
        yield* look.pipe(
          Effect.catchAllCause((cause) => Effect.logWarning("Which accounts others use could not be read", cause)),
          unspanned,
          Effect.delay(platformAccountsLook),
          Effect.forever,
          Effect.forkScoped
        )
      }

      const processKey = randomBytes(32)
      const ours = new Map(
        thirdParties.flatMap((party) =>
          Option.toArray(
            Option.map(parties.get(party.name)!.platform, (given) => [party.name, identityOf(processKey, party, given)])
          )
        )
      )

      return {
        sharedBy: (party, credentials) => {
          const given = identityOf(processKey, party, credentials)
          const shared = Array.from(ours.get(party.name) ?? []).find(([field, digest]) =>
            isSame(digest, given.get(field))
          )
          return Option.map(Option.fromNullable(shared), ([field]) => field)
        },
        since: (name) =>
          Effect.map(monotonicMillis, (now) =>
            now - lookedAt <= Duration.toMillis(platformAccountsTrusted) ? (certain.get(name) ?? endOfTime) : endOfTime
          )
      }
    })
  )
}
