/** Sets and tests the credentials of a configuration's account. They are never shown again. */
import { Context, Effect, Either, Layer, Option } from "effect"
import type { CredentialsState } from "../../contract/api/ProviderConfigsApi.ts"
import type { Permit } from "../../domain/Access.ts"
import { isBuiltInRail } from "../../domain/Corridor.ts"
import type { ConfigId } from "../../domain/Ids.ts"
import { Conflict, Invalid, type NotFound } from "../../domain/Failure.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { type Mode, Settings } from "../../platform/config/Settings.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { Vault } from "../../platform/secrets/Vault.ts"
import { type ConfigKey, ProviderConfigs } from "./ProviderConfigs.ts"
import type { ProviderConfig } from "./ProviderConfigStore.ts"
import {
  checkCredentials,
  isSameCredentials,
  decryptCredentials,
  encryptCredentials
} from "../accounts/AccountCredentials.ts"
import { shownMode } from "../accounts/AccountMode.ts"
import { PlatformAccounts } from "../accounts/PlatformAccounts.ts"
import { ProviderAccounts, type CredentialTest } from "../accounts/ProviderAccounts.ts"
import { type ProviderAccount, ProviderAccountStore } from "../accounts/ProviderAccountStore.ts"
import { ProviderSettings } from "../accounts/ProviderSettings.ts"
import { type AnyThirdParty, type GivenCredentials, thirdPartyNamed } from "../accounts/ThirdParties.ts"
import { factsText } from "../port/AccountTest.ts"
import { traced } from "../../platform/observability/Spans.ts"

type Admin = Permit<"platform">
export type CredentialsState = typeof CredentialsState.Type

interface TestedCredentials {
  readonly result: CredentialTest
  /** Mode, as keys and address show it. */
  readonly mode: Mode | undefined
}

/** The configuration of an account; its organisation is null once it was deleted. */
type Bringer = Pick<ProviderConfig, "config_id" | "provider" | "org_id">

const partyOf = ({ provider }: Bringer): Either.Either<AnyThirdParty, Invalid> => {
  if (isBuiltInRail(provider)) {
    return Either.left(new Invalid({ message: `provider: ${provider} is built in and takes no credentials.` }))
  }
  const party = thirdPartyNamed(provider)
  return party === undefined
    ? Either.left(new Invalid({ message: `provider: there is no adapter for ${provider}.` }))
    : Either.right(party)
}

const resultText = (result: CredentialTest): string => Either.merge(Either.map(result, factsText))

const stateOf = (
  account: ProviderAccount,
  credentials: GivenCredentials,
  result: CredentialTest
): CredentialsState => ({
  config_id: account.config_id,
  provider: account.provider,
  fields: Object.keys(credentials),
  tested: Either.isRight(result),
  test_message: resultText(result),
  updated_at: account.updated_at
})

export class ProviderCredentials extends Context.Tag("corridor/ProviderCredentials")<
  ProviderCredentials,
  {
    /** Credentials that fail their test never replace tested ones. */
    readonly set: (
      permit: Admin,
      key: ConfigKey,
      typed: Readonly<Record<string, string>>,
      options?: {
        /** Rejects callbacks signed with replaced credentials from now on. */
        readonly forgetReplaced?: boolean
      }
    ) => Stored<CredentialsState, Conflict | Invalid | NotFound>
    /** The account of a configuration id, also after the configuration was deleted. */
    readonly kept: (permit: Admin, id: ConfigId) => Stored<Option.Option<Omit<Bringer, "org_id">>>
    /** Tests the stored credentials. They are used once they pass. */
    readonly test: (permit: Admin, key: ConfigKey) => Stored<TestedCredentials, Conflict | Invalid | NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    ProviderCredentials,
    Effect.gen(function* () {
      const accounts = yield* ProviderAccounts
      const audit = yield* AuditLog
      const configs = yield* ProviderConfigs
      const platform = yield* PlatformAccounts
      const store = yield* ProviderAccountStore
      const vault = yield* Vault
      const { atomically } = yield* Transactor
      const { mode } = yield* Settings
      const { parties } = yield* ProviderSettings

      /** Records the names of the fields only. */
      const record = (
        permit: Admin,
        action: string,
        { config_id, org_id, provider }: Bringer,
        credentials: GivenCredentials,
        came: { readonly tested: boolean; readonly forgot_replaced?: true }
      ) =>
        audit.record(permit, {
          action: `provider_config.${action}`,
          org: org_id,
          subject: ["provider_config", config_id],
          detail: { provider, fields: Object.keys(credentials), ...came }
        })

      const inUse = ({ config_id, version }: ProviderAccount) =>
        accounts.seen([{ config_id, credentials_version: version }])

      /** Finds accounts of deleted configurations too: attempts sent through them still need them. */
      const bringer = (permit: Admin, key: ConfigKey): Stored<Bringer, NotFound> =>
        Effect.catchTag(configs.find(permit, key), "NotFound", (notFound) =>
          Effect.flatMap(store.find(key.config_id), (account) =>
            Option.match(
              Option.filter(account, ({ provider }) => provider === key.provider),
              {
                onNone: () => Effect.fail(notFound),
                onSome: ({ config_id, provider }) => Effect.succeed({ config_id, provider, org_id: null })
              }
            )
          )
        )

      /** Setting the same credentials again changes nothing. */
      const alreadyInUse = Effect.fnUntraced(function* (config_id: ConfigId, credentials: GivenCredentials) {
        const account = yield* store.find(config_id)
        if (Option.isNone(account) || account.value.tested_at === null) return Option.none()
        const opened = yield* Effect.option(decryptCredentials(vault, account.value, mode))
        return Option.exists(opened, (one) => isSameCredentials(one.credentials, credentials)) ? account : Option.none()
      })

      return {
        set: traced("ProviderCredentials.set")(function* (permit, key, typed, { forgetReplaced = false } = {}) {
          const config = yield* bringer(permit, key)
          const party = yield* partyOf(config)
          const credentials = yield* Either.mapLeft(
            checkCredentials(party, typed, mode),
            (message) => new Invalid({ message })
          )
          const shared = platform.sharedBy(party, credentials)
          if (Option.isSome(shared)) {
            return yield* new Invalid({
              message: `${shared.value}: is that of the platform's own account, which a configuration without credentials uses; give those of another account.`
            })
          }
          const { config_id, provider } = config
          const result = yield* accounts.tried(party, config_id, credentials)
          const tested = Either.isRight(result)
          const same = tested && !forgetReplaced ? yield* alreadyInUse(config_id, credentials) : Option.none()
          if (Option.isSome(same)) return stateOf(same.value, credentials, result)
          const sealed = yield* encryptCredentials(vault, config_id, credentials)
          const kept = yield* atomically(
            Effect.tap(store.put({ config_id, provider, sealed, tested }), (put) =>
              Option.isNone(put)
                ? Effect.void
                : Effect.zipRight(
                    forgetReplaced ? store.forgetReplaced(config_id) : Effect.void,
                    record(permit, "credentials_set", config, credentials, {
                      tested,
                      ...(forgetReplaced ? ({ forgot_replaced: true } as const) : {})
                    })
                  )
            )
          )
          if (Option.isNone(kept)) {
            return yield* new Conflict({
              message: `They failed their test, so those set before stay in use: ${resultText(result)}`
            })
          }
          yield* inUse(kept.value)
          return stateOf(kept.value, credentials, result)
        }),
        kept: (_permit, id) =>
          Effect.map(
            store.find(id),
            Option.map(({ config_id, provider }) => ({ config_id, provider }))
          ),
        test: traced("ProviderCredentials.test")(function* (permit, key) {
          const config = yield* bringer(permit, key)
          const party = yield* partyOf(config)
          const account = yield* store.find(config.config_id)
          if (Option.isNone(account)) {
            return yield* new Invalid({ message: "This configuration has no credentials of its own." })
          }
          const { credentials } = yield* Effect.mapError(
            decryptCredentials(vault, account.value, mode),
            ({ message }) => new Conflict({ message: `Its credentials cannot be used; set them again. ${message}` })
          )
          const result = yield* accounts.tried(party, config.config_id, credentials)
          const tested = { result, mode: shownMode(party, credentials, parties.get(party.name)!.baseUrl) }
          if (Either.isLeft(result)) return tested
          const marked = yield* atomically(
            Effect.tap(store.markTested(config.config_id, account.value.version), (one) =>
              Option.isSome(one)
                ? record(permit, "credentials_tested", config, credentials, { tested: true })
                : Effect.void
            )
          )
          if (Option.isNone(marked)) {
            return yield* new Conflict({ message: "Its credentials were changed in the meantime; test them again." })
          }
          return tested
        })
      }
    })
  )
}

/** Configurations, their credentials and the connected accounts. */
export const ProviderConfigsLive = ProviderCredentials.layer.pipe(
  Layer.provideMerge(ProviderConfigs.layer),
  Layer.provideMerge(ProviderAccounts.layer),
  Layer.provide(PlatformAccounts.layer)
)
