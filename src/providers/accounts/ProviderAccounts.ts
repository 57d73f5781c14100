/**
 * Providers connected to accounts: the platform's are connected at the start, those of configurations on first use and
 * again after a change of their credentials.
 */
import { Clock, Context, Duration, Effect, Either, ExecutionStrategy, Exit, Layer, Option, Scope } from "effect"
import type { ConfigId } from "../../domain/Ids.ts"
import {
  credentialsKnownFor,
  credentialsRetireAfter,
  credentialsTestTimeout
} from "../../domain/policies/ProviderPolicies.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { monotonicMillis } from "../../platform/fibers/Deadlines.ts"
import { Secrets } from "../../platform/secrets/Secrets.ts"
import { Vault } from "../../platform/secrets/Vault.ts"
import { makeConcurrencyLimit } from "../client/ConcurrencyLimit.ts"
import { makeProviderHttp } from "../client/UndiciHttp.ts"
import { type AccountFacts, type KnownSecret, type Provider, Providers } from "../port/Provider.ts"
import { type ThirdPartyName, isBuiltInRail } from "../../domain/Corridor.ts"
import { wrapProvider } from "../port/ProviderWrappers.ts"
import { answersInMode, callbacksInMode } from "./AccountMode.ts"
import { decryptCredentials, readCredentials } from "./AccountCredentials.ts"
import { PlatformAccounts } from "./PlatformAccounts.ts"
import { type ProviderAccount, ProviderAccountStore } from "./ProviderAccountStore.ts"
import { ProviderSettings } from "./ProviderSettings.ts"
import { type AnyThirdParty, type GivenCredentials, thirdParties, thirdPartyNamed } from "./ThirdParties.ts"
import { orDefect, type Stored } from "../../platform/database/DatabaseFailure.ts"
import { makeSimulators } from "../sandbox/SimulatorProviders.ts"

/** Name of the secret that a provider gave when the platform's callback address was registered there. */
export const registeredSecret = (name: ThirdPartyName): string => `registered callbacks of ${name}`

/** Result of a credentials test; right: accepted. */
export type CredentialTest = Either.Either<AccountFacts, string>

/** Registration of the platform's callback address at a provider. */
export interface Registration {
  readonly register: NonNullable<Provider["register"]>
  /** Whence the secret of the callbacks is known. */
  readonly known: KnownSecret
  /** Credentials from earlier registrations. */
  readonly stored: GivenCredentials
  readonly callbackUrl: string
}

interface ReadVersion {
  readonly config_id: ConfigId
  /** Null where it brings no account. */
  readonly credentials_version: number | null
}

interface Held {
  readonly name: ThirdPartyName
  readonly version: number
  readonly provider: Provider
  readonly scope: Scope.CloseableScope
}

interface Seen {
  readonly version: number
  readonly until: number
}

/** Attempts sent before the replaced credentials ended may have used them, and so another account. */
const certainSince = ({ updated_at, version }: ProviderAccount): Pick<Provider, "since"> =>
  version === 1 ? {} : { since: new Date(updated_at.getTime() + Duration.toMillis(credentialsRetireAfter)) }

/** Verifies callbacks with the current secret, then with the replaced ones. */
const alsoBelieving = (provider: Provider, before: Provider, until: Option.Option<Date>): Provider => ({
  ...provider,
  callback: (request) =>
    Effect.catchTag(provider.callback(request), "NoProof", (noProof) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Option.exists(until, (end) => end.getTime() <= now)
          ? Effect.fail(noProof)
          : Effect.mapError(before.callback(request), (error) => (error._tag === "NotNow" ? error : noProof))
      )
    )
})

const bounded = (test: Effect.Effect<CredentialTest>): Effect.Effect<CredentialTest> =>
  test.pipe(
    Effect.timeoutTo({
      duration: credentialsTestTimeout,
      onSuccess: (result) => result,
      onTimeout: (): CredentialTest =>
        Either.left(`It did not answer within ${Duration.format(credentialsTestTimeout)}.`)
    }),
    // A value that cannot be used, such as a key of another kind, fails the test.
    Effect.catchAllDefect(() => Effect.succeed(Either.left("They cannot be used: one of them has a wrong form.")))
  )

const untested: Effect.Effect<CredentialTest> = Effect.succeed(
  Either.right({ note: "There is no call to test them with." })
)

export class ProviderAccounts extends Context.Tag("corridor/ProviderAccounts")<
  ProviderAccounts,
  {
    /** Connected to the platform's account, if there is one. */
    readonly platform: (name: ThirdPartyName) => Stored<Provider | undefined>
    /** Connected to the account of a configuration, also after the configuration was deleted. */
    readonly ofConfig: (name: ThirdPartyName, id: ConfigId) => Stored<Provider | undefined>
    /** Notes versions that were just read, so that `ofConfig` need not read them again. */
    readonly seen: (read: ReadonlyArray<ReadVersion>) => Stored<void>
    /** Tests credentials, stored or not, with a call that moves nothing. */
    readonly tried: (party: AnyThirdParty, id: ConfigId, credentials: GivenCredentials) => Stored<CredentialTest>
    /** The same for the platform's account, where there is one. */
    readonly triedPlatform: (name: ThirdPartyName) => Stored<Option.Option<CredentialTest>>
    /** Registration at a provider; none without a platform account there, or without an API call for it. */
    readonly registration: (name: ThirdPartyName) => Option.Option<Registration>
    /** Configurations whose account is the platform's own. Nothing new is sent through them. */
    readonly shared: Stored<ReadonlyArray<ConfigId>>
  }
>() {
  static readonly layer = Layer.scoped(
    ProviderAccounts,
    Effect.gen(function* () {
      const { mode, publicUrl } = yield* Settings
      const { parties, rawCards } = yield* ProviderSettings
      const store = yield* ProviderAccountStore
      const platformAccounts = yield* PlatformAccounts
      const vault = yield* Vault
      const secrets = yield* Secrets
      const scope = yield* Effect.scope
      const lock = yield* Effect.makeSemaphore(1)
      const held = new Map<ConfigId, Held>()
      const known = new Map<ConfigId, Seen>()

      const callbackUrlOf = (name: ThirdPartyName, configId: ConfigId | null): string =>
        `${publicUrl}/callbacks/${name}${configId === null ? "" : `/${configId}`}`

      const connect = Effect.fnUntraced(function* (
        party: AnyThirdParty,
        configId: ConfigId | null,
        credentials: GivenCredentials
      ) {
        const { baseUrl, certificate } = parties.get(party.name)!
        const tls = configId === null ? Option.getOrUndefined(certificate) : undefined
        const http = yield* makeProviderHttp({
          provider: party.name,
          account: configId ?? "platform",
          baseUrl,
          mode,
          concurrencyLimit: makeConcurrencyLimit(),
          ...(tls === undefined ? {} : { tls })
        })
        const callbackUrl = callbackUrlOf(party.name, configId)
        const inMode = answersInMode(party, mode, http)
        const account = { configId, mode, credentials, baseUrl, callbackUrl, rawCards, http: inMode }
        return wrapProvider(callbacksInMode(party, mode, party.connect(account)))
      })

      const platforms = new Map<ThirdPartyName, Provider>()
      const stored = new Map<ThirdPartyName, GivenCredentials>()
      for (const party of thirdParties) {
        const { platform, replaced } = parties.get(party.name)!
        if (Option.isNone(platform)) continue
        // A setting counts before a secret that was stored when the callback address was registered.
        const kept = yield* orDefect(secrets.find(registeredSecret(party.name)))
        const registered = Either.getOrElse(readCredentials(Option.getOrElse(kept, () => "{}")), () => ({}))
        stored.set(party.name, registered)
        const provider = yield* connect(party, null, { ...registered, ...platform.value })
        platforms.set(
          party.name,
          Option.isNone(replaced)
            ? provider
            : alsoBelieving(provider, yield* connect(party, null, { ...registered, ...replaced.value }), Option.none())
        )
      }

      const knownSecret = ({ fields, name, setup }: AnyThirdParty): KnownSecret => {
        const made = Object.keys(fields).find((one) => fields[one]?.madeInSandbox === true)
        const field = setup.callbacks?.secret ?? made ?? ""
        const isIn = (given: GivenCredentials | undefined) => given !== undefined && Object.hasOwn(given, field)
        if (isIn(Option.getOrUndefined(parties.get(name)!.platform))) return "setting"
        return isIn(stored.get(name)) ? "stored" : "none"
      }

      const note = (id: ConfigId, version: number, now: number) => {
        const before = known.get(id)?.version ?? 0
        // A slow read may be older than a change that was seen meanwhile.
        if (version >= before) known.set(id, { version, until: now + Duration.toMillis(credentialsKnownFor) })
      }

      const retire = (old: Held) =>
        // Interruptible, although begun in an uninterruptible region: must not delay the end of the process.
        Effect.interruptible(Effect.sleep(credentialsRetireAfter)).pipe(
          Effect.zipRight(Scope.close(old.scope, Exit.void)),
          Effect.forkIn(scope)
        )

      /** Skips replaced credentials that cannot be decrypted any more. */
      const withReplaced = Effect.fnUntraced(function* (account: ProviderAccount, provider: Provider) {
        let believing = provider
        for (const replaced of yield* store.replaced(account.config_id)) {
          const opened = yield* Effect.option(
            decryptCredentials(vault, { ...replaced, provider: account.provider }, mode)
          )
          if (Option.isNone(opened)) continue
          const { credentials, party } = opened.value
          const before = yield* connect(party, account.config_id, credentials)
          believing = alsoBelieving(believing, before, Option.some(replaced.until))
        }
        return believing
      })

      /** Declines new orders; look-ups and refunds of earlier ones still work. */
      const withoutNew = (provider: Provider): Provider => ({
        ...provider,
        supports: () =>
          Either.left("The account of this configuration is the platform's own: set credentials of another account.")
      })

      const connectAnew = Effect.fnUntraced(function* (account: ProviderAccount) {
        const { party, credentials } = yield* decryptCredentials(vault, account, mode)
        const isShared = Option.isSome(platformAccounts.sharedBy(party, credentials))
        const own = yield* Scope.fork(scope, ExecutionStrategy.sequential)
        const provider = yield* connect(party, account.config_id, credentials).pipe(
          Effect.flatMap((one) => withReplaced(account, one)),
          Scope.extend(own),
          Effect.onError(() => Scope.close(own, Exit.void))
        )
        return {
          name: party.name,
          version: account.version,
          provider: { ...(isShared ? withoutNew(provider) : provider), ...certainSince(account) },
          scope: own
        }
      })

      const connected = (account: ProviderAccount): Effect.Effect<Provider | undefined> =>
        Effect.gen(function* () {
          const before = held.get(account.config_id)
          if (before !== undefined && before.version >= account.version) return before.provider
          const fresh = yield* connectAnew(account)
          held.set(account.config_id, fresh)
          if (before !== undefined) yield* retire(before)
          return fresh.provider
        }).pipe(
          Effect.uninterruptible,
          lock.withPermits(1),
          Effect.catchAllCause((cause) =>
            Effect.as(Effect.logError(`The credentials of ${account.config_id} cannot be used`, cause), undefined)
          )
        )

      return {
        platform: Effect.fnUntraced(function* (name) {
          const provider = platforms.get(name)
          if (provider === undefined) return undefined
          const since = yield* platformAccounts.since(name)
          if (provider.since?.getTime() === since.getTime()) return provider
          const certain = { ...provider, since }
          platforms.set(name, certain)
          return certain
        }),
        ofConfig: Effect.fnUntraced(function* (name, id) {
          const now = yield* monotonicMillis
          const [current, seen] = [held.get(id), known.get(id)]
          if (current !== undefined && seen !== undefined && now < seen.until && current.version >= seen.version) {
            return current.name === name ? current.provider : undefined
          }
          const account = yield* store.find(id)
          if (Option.isNone(account) || account.value.provider !== name) return undefined
          note(id, account.value.version, now)
          return yield* connected(account.value)
        }),
        seen: (read) =>
          Effect.map(monotonicMillis, (now) => {
            for (const { config_id, credentials_version: version } of read) {
              if (version !== null) note(config_id, version, now)
            }
          }),
        tried: (party, id, credentials) =>
          bounded(Effect.scoped(Effect.flatMap(connect(party, id, credentials), ({ test }) => test ?? untested))),
        shared: Effect.flatMap(store.allCredentials, (all) =>
          Effect.filter(all, (account) =>
            Effect.match(decryptCredentials(vault, account, mode), {
              onFailure: () => false,
              onSuccess: ({ credentials, party }) => Option.isSome(platformAccounts.sharedBy(party, credentials))
            })
          )
        ).pipe(Effect.map((all) => all.map(({ config_id }) => config_id))),
        registration: (name) => {
          const party = thirdPartyNamed(name)
          const register = platforms.get(name)?.register
          return party === undefined || register === undefined
            ? Option.none()
            : Option.some({
                register,
                known: knownSecret(party),
                stored: stored.get(name) ?? {},
                callbackUrl: callbackUrlOf(name, null)
              })
        },
        triedPlatform: (name) =>
          Effect.transposeOption(
            Option.map(Option.fromNullable(platforms.get(name)), ({ test }) => bounded(test ?? untested))
          )
      }
    })
  )
}

/** The available providers: those with credentials, and in sandbox mode the built-in ones. */
export const ProvidersLive = Layer.effect(
  Providers,
  Effect.gen(function* () {
    const { mode } = yield* Settings
    const accounts = yield* ProviderAccounts
    const simulators = Providers.fromList(mode === "sandbox" ? yield* makeSimulators : [])
    const absent = Effect.succeed(undefined)
    return {
      find: (name, account) => {
        if (isBuiltInRail(name)) return account === null ? simulators.find(name, null) : absent
        return account === null ? accounts.platform(name) : accounts.ofConfig(name, account)
      }
    }
  })
)
