/** Registers the platform's callback address at a provider. Stores what the provider gave for it, and audits it. */
import { Effect, Either, Option } from "effect"
import type { Permit } from "../../domain/Access.ts"
import type { ThirdPartyName } from "../../domain/Corridor.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { Secrets } from "../../platform/secrets/Secrets.ts"
import { isSameCredentials, writtenCredentials } from "./AccountCredentials.ts"
import { ProviderAccounts, registeredSecret } from "./ProviderAccounts.ts"

/** Right: what was done. */
type Registered = Either.Either<string, string>

/** None where the provider has no call for it; left: why it is not registered. */
export const registerCallbacks = Effect.fn("registerCallbacks")(function* (
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
