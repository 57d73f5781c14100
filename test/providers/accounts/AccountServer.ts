/** A server whose Stripe is a fake over real HTTP, with a platform's account that the fake does not know. */
import { layer, type Vitest } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Context, Duration, Effect, Layer } from "effect"
import { StoresLive } from "../../../src/app/Stores.ts"
import { ConfigId, type OrgId, Ids } from "../../../src/domain/Ids.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { ProviderConfigStore } from "../../../src/providers/configs/ProviderConfigStore.ts"
import { type RunningFake, startFake } from "../../fakes/FakeServer.ts"
import { stripeFake } from "../../fakes/StripeFake.ts"
import { signatureOf } from "../../../src/providers/stripe/StripeCallbacks.ts"
import { people } from "../../support/TestCredentials.ts"
import { send } from "../../support/Send.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { type ServerServices, testServer } from "../../support/TestServer.ts"

export const PLATFORM_KEY = "sk_test_of_the_platform"

export class StripeFake extends Context.Tag("test/StripeFake")<StripeFake, RunningFake>() {}

/** The tables in sight, so that a test can look behind the stores. */
const stores = StoresLive.pipe(Layer.provideMerge(TestDatabase))

const accountServer = Layer.unwrapScoped(
  Effect.map(startFake(stripeFake, { callbackUrl: "http://127.0.0.1:9/", pace: Duration.millis(5) }), (fake) =>
    testServer("PostgreSQL", {
      stores,
      variables: {
        CARD_DATA: "raw",
        STRIPE_BASE_URL: fake.url,
        STRIPE_SECRET_KEY: PLATFORM_KEY,
        STRIPE_WEBHOOK_SECRET: "whsec_of_the_platform"
      }
    }).pipe(Layer.merge(Layer.succeed(StripeFake, fake)))
  )
)

type Tests = (it: Vitest.MethodsNonLive<ServerServices | StripeFake, true>) => void

export const onAccountServer = (name: string, tests: Tests): void =>
  layer(accountServer, { excludeTestServices: true, timeout: "60 seconds" })(name, tests)

export const database = Effect.orDie(
  Effect.flatten(Effect.serviceOption(SqlClient.SqlClient))
) as Effect.Effect<SqlClient.SqlClient>

export const cardsIn = (country: string, org_id: OrgId | null = null, provider: "fiat" | "stripe" = "stripe") =>
  Effect.gen(function* () {
    const store = yield* ProviderConfigStore
    const config_id = yield* Effect.flatMap(Ids, (ids) => ids.make(ConfigId))
    const [config] = yield* store.insert([
      {
        ...{ config_id, org_id, provider, country: CountryCode.make(country), payment_method: "card" },
        ...{ direction: "inbound", priority: 1, is_active: true }
      }
    ])
    return config!
  })

export const pathOf = ({ config_id, provider }: { readonly config_id: string; readonly provider: string }) =>
  `/v1/payments/provider-configs/${provider}/${config_id}`

export const setCredentials = (
  config: { readonly config_id: string; readonly provider: string },
  fields: unknown,
  { headers, query = "" }: { readonly headers?: Readonly<Record<string, string>>; readonly query?: string } = {}
) =>
  Effect.flatMap(people, ({ admin }) =>
    send(`${pathOf(config)}/credentials${query}`, {
      method: "PUT",
      headers: { "content-type": "application/json", ...(headers ?? admin) },
      body: JSON.stringify(fields)
    })
  )

/** Callback of Stripe about a payment, signed with this secret. */
export const stripeCalls = (path: string, secret: string, object: unknown, type = "payment_intent.succeeded") => {
  const body = JSON.stringify({ id: `evt_${secret}_${type}`, object: "event", type, data: { object } })
  const time = String(Math.trunc(Date.now() / 1000))
  return send(path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "stripe-signature": `t=${time},v1=${signatureOf(secret, time, body)}`
    },
    body
  })
}
