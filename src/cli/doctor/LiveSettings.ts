/** What `corridor doctor --live` asks of the settings: all that live mode needs, whether it is on yet or not. */
import { Either, Option, Redacted } from "effect"
import { shortestLiveSecret } from "../../domain/policies/People.ts"
import type { Settings } from "../../platform/config/Settings.ts"
import type { ProviderSettings } from "../../providers/accounts/ProviderSettings.ts"
import { type Check, fail, ok, warn } from "./Check.ts"
import { databaseOfItsOwn, mail, metrics } from "./LiveOperations.ts"
import { identityProvider, publicAddress } from "./LivePayments.ts"

type Values = Settings["Type"]

/** The settings of providers as live mode reads them, whatever the mode is now. */
export type ProvidersAsLive = Either.Either<ProviderSettings["Type"], { readonly message: string }>

const mode = ({ mode: now }: Values): Check =>
  now === "live" ? ok("Mode", "live") : warn("Mode", "sandbox: set CORRIDOR_MODE=live once the rest is in order.")

const secrets = ({ kybWebhookSecret, masterKey }: Values): ReadonlyArray<Check> => [
  Option.isSome(masterKey)
    ? ok("Secrets", "CORRIDOR_MASTER_KEY is set; keep a copy of it apart from the database")
    : fail("Secrets", "CORRIDOR_MASTER_KEY is missing: make it with openssl rand -hex 32."),
  Option.exists(kybWebhookSecret, (text) => Redacted.value(text).trim().length >= shortestLiveSecret)
    ? ok("KYB callbacks", "KYB_WEBHOOK_SECRET is set")
    : fail(
        "KYB callbacks",
        `KYB_WEBHOOK_SECRET is missing or shorter than ${shortestLiveSecret} characters: make it with openssl rand -hex 32.`
      )
]

const fakes = ({ fakes: on }: Values): ReadonlyArray<Check> =>
  Option.isSome(on) ? [fail("Fakes", "CORRIDOR_FAKES is set: live mode speaks to the third parties themselves.")] : []

/**
 * Without them only configurations that bring their own account can be routed by. Test keys and addresses of a test mode
 * are not taken by live mode.
 */
const accounts = (read: ProvidersAsLive): Check => {
  if (Either.isLeft(read)) return fail("Provider accounts", read.left.message.replaceAll("\n", " "))
  const { parties } = read.right
  const named = Array.from(parties).flatMap(([name, { platform }]) => (Option.isSome(platform) ? [name] : []))
  return named.length > 0
    ? ok("Provider accounts", named.join(", "))
    : warn("Provider accounts", "no credentials of a provider are set: each configuration has to bring its own.")
}

export const liveSettings = (values: Values, providers: ProvidersAsLive): ReadonlyArray<Check> => [
  mode(values),
  ...secrets(values),
  ...fakes(values),
  publicAddress(values),
  identityProvider(values),
  databaseOfItsOwn(values),
  mail(values),
  metrics(values),
  accounts(providers)
]
