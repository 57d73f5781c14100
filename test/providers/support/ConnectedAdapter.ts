/** An adapter with an account at its third party: whole, until a test says what is special about its own. */
import { Redacted } from "effect"
import type { ProviderHttp } from "../../../src/providers/client/ProviderHttp.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import type { Account, CredentialFields, Credentials, ThirdParty } from "../../../src/providers/port/ThirdParty.ts"

export type AboutAccount<Fields extends CredentialFields> = Partial<Omit<Account<Fields>, "credentials" | "http">>

export const connected = <Fields extends CredentialFields>(
  party: ThirdParty<Fields>,
  http: ProviderHttp,
  credentials: Readonly<Record<string, string>>,
  about: AboutAccount<Fields> = {}
): Provider =>
  party.connect({
    configId: null,
    mode: "sandbox",
    baseUrl: party.baseUrls.sandbox,
    callbackUrl: "https://pay.example.com/callbacks",
    rawCards: false,
    ...about,
    credentials: Object.fromEntries(
      Object.entries(credentials).map(([name, value]) => [name, Redacted.make(value)])
    ) as Credentials<Fields>,
    http
  })
