/** Provider set-up: what is needed and what is set, a test of the account, and the callback address. */
import { Effect, Either, Option } from "effect"
import type { ProviderCheck, ProviderSetup } from "../../contract/api/ProviderConfigsApi.ts"
import type { Permit } from "../../domain/Access.ts"
import { Conflict, NotFound } from "../../domain/Failure.ts"
import { type Mode, Settings } from "../../platform/config/Settings.ts"
import type { AccountFacts } from "../port/Provider.ts"
import type { CredentialField } from "../port/ThirdParty.ts"
import { shownMode } from "./AccountMode.ts"
import { ProviderAccounts, type CredentialTest, registeredSecret } from "./ProviderAccounts.ts"
import { isOptional, ProviderSettings } from "./ProviderSettings.ts"
import { type AnyThirdParty, thirdParties, thirdPartyNamed } from "./ThirdParties.ts"
import type { ThirdPartyName } from "../../domain/Corridor.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { Secrets } from "../../platform/secrets/Secrets.ts"
import { isSameCredentials, writtenCredentials } from "./AccountCredentials.ts"
import { traced } from "../../platform/observability/Spans.ts"

export type Check = typeof ProviderCheck.Type

const checkMode = (mode: Mode | undefined): Check["mode"] =>
  mode === undefined ? null : mode === "live" ? "live" : "test"

/** `account` is `platform`, or the id of the configuration that brings the account. */
export const checkOf = (
  provider: Check["provider"],
  account: string,
  shown: Mode | undefined,
  result: CredentialTest
): Check => {
  const facts: AccountFacts = Either.getOrElse(result, () => ({}))
  return {
    provider,
    account,
    passed: Either.isRight(result),
    mode: checkMode(shown) ?? facts.mode ?? null,
    name: facts.name ?? null,
    balances: facts.balances ?? null,
    rights: facts.rights ?? null,
    message: Either.match(result, { onLeft: (reason) => reason, onRight: ({ note }) => note ?? "" })
  }
}

/** Tests the platform's account by a call that moves nothing; none where there is no account. */
export const checkPlatform = traced("checkPlatform")(function* (party: AnyThirdParty) {
  const accounts = yield* ProviderAccounts
  const { parties } = yield* ProviderSettings
  const { baseUrl, platform } = parties.get(party.name)!
  const shown = Option.map(platform, (given) => shownMode(party, given, baseUrl))
  return Option.map(yield* accounts.triedPlatform(party.name), (result) =>
    checkOf(party.name, "platform", Option.getOrUndefined(shown), result)
  )
})

interface KnownSetting {
  readonly isSet: boolean
  readonly isStored: boolean
  readonly mode: Mode
}

const settingState = (field: CredentialField, { isSet, isStored, mode }: KnownSetting) => {
  if (isSet) return "set"
  if (isStored) return "stored"
  return isOptional(field, mode) ? "optional" : "missing"
}

export const setupOf = traced("setupOf")(function* (party: AnyThirdParty) {
  const { mode, publicUrl } = yield* Settings
  const { parties } = yield* ProviderSettings
  const { registration } = yield* ProviderAccounts
  const { platform } = parties.get(party.name)!
  const given = Option.getOrElse(platform, () => ({}))
  const stored = Option.match(registration(party.name), { onNone: () => ({}), onSome: (one) => one.stored })
  const { callbacks, keys, registers } = party.setup
  const secrets = [callbacks?.secret, callbacks?.alsoSecret?.field].flatMap(
    (field) => party.fields[field ?? ""]?.env ?? []
  )
  return {
    provider: party.name,
    is_set: Option.isSome(platform),
    keys,
    settings: Object.entries(party.fields).map(([field, about]) => ({
      name: about.env,
      state: settingState(about, {
        isSet: Object.hasOwn(given, field),
        isStored: Object.hasOwn(stored, field),
        mode
      }),
      about: about.about
    })),
    callback_url: `${publicUrl}/callbacks/${party.name}`,
    callbacks: callbacks === null ? null : { at: callbacks.at, events: callbacks.events, secrets },
    registers: registers ?? null
  } satisfies typeof ProviderSetup.Type
})

/** For platform admins, over HTTP. */
export const makeProviderSetups = Effect.gen(function* () {
  const context = yield* Effect.context<Settings | ProviderSettings | ProviderAccounts>()
  return {
    list: (_permit: Permit<"platform">) => Effect.provide(Effect.forEach(thirdParties, setupOf), context),
    test: traced("ProviderSetup.test")(function* (_permit: Permit<"platform">, name: string) {
      const party = thirdPartyNamed(name)
      if (party === undefined) return yield* new NotFound({ message: "There is no such provider." })
      const checked = yield* Effect.provide(checkPlatform(party), context)
      if (Option.isSome(checked)) return checked.value
      return yield* new Conflict({
        message: `The settings of ${party.title} are not set: there is no account to test.`
      })
    })
  }
})

/** Right: what was done. */
type Registered = Either.Either<string, string>

/**
 * Registers the platform's callback address at a provider. Stores what the provider gave for it, and audits it. None
 * where the provider has no call for it; left: why it is not registered.
 */
export const registerCallbacks = traced("registerCallbacks")(function* (
  permit: Permit<"platform">,
  name: ThirdPartyName,
  dryRun: boolean
) {
  const audit = yield* AuditLog
  const secrets = yield* Secrets
  const { atomically } = yield* Transactor
  const { registration } = yield* ProviderAccounts
  const found = registration(name)
  if (Option.isNone(found)) return Option.none<Registered>()
  const { callbackUrl, known, register, stored } = found.value
  const done = yield* register(known, dryRun)
  if (Either.isLeft(done)) return Option.some<Registered>(Either.left(done.left))
  const { changed, credentials, message } = done.right
  const kept = { ...stored, ...credentials }
  const isNew = !isSameCredentials(kept, stored)
  if (!changed && !isNew) return Option.some<Registered>(Either.right(message))
  yield* atomically(
    Effect.zipRight(
      isNew ? secrets.put(registeredSecret(name), writtenCredentials(kept)) : Effect.void,
      audit.record(permit, {
        action: "provider.callbacks_registered",
        org: null,
        subject: ["provider", name],
        detail: { callback_url: callbackUrl, message, stored: isNew ? Object.keys(credentials) : [] }
      })
    )
  )
  return Option.some<Registered>(
    Either.right(isNew ? `${message} Its secret is stored. Restart the servers, which read it then.` : message)
  )
})
