/** The HTTP server over providers of the test's choosing, with the background workers running. */
import { layer, type Vitest } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ConfigId, Ids } from "../../../src/domain/Ids.ts"
import { graphOf } from "../../../src/app/Graph.ts"
import { serveHttp } from "../../../src/app/HttpApp.ts"
import { serverOver } from "../../../src/app/Services.ts"
import { startWorkers } from "../../../src/app/BackgroundWorkers.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import type { Flow, PaymentMethod, ProviderName } from "../../../src/domain/Corridor.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import { ProviderConfigStore } from "../../../src/providers/configs/ProviderConfigStore.ts"
import { Sandbox } from "../../../src/app/Sandbox.ts"
import type { Backend } from "../../support/OnBothStores.ts"
import { TestServer } from "../../support/TestServer.ts"
import { TestFoundation, testSettings, type Variables } from "../../support/TestSettings.ts"
import { ledgerMatchesProviders } from "./LedgerMatchesProviders.ts"
import {
  movableClock,
  type MovableClock,
  openStoresOn,
  type OwnAccounts,
  quiet,
  servicesWithSimulators
} from "./PaymentServices.ts"

/** A page that leads to the public address needs a server that listens there; all others take any port. */
const served = (variables: Variables) =>
  Layer.scoped(
    TestServer,
    Effect.gen(function* () {
      const credentials = yield* Effect.flatMap(Sandbox, ({ ensure }) => ensure)
      yield* startWorkers
      const port = yield* serveHttp(Number(variables["PORT"] ?? 0))
      return { baseUrl: `http://127.0.0.1:${port}`, port, credentials, logs: [] }
    })
  )

interface Options {
  readonly providers?: ReadonlyArray<Provider>
  readonly variables?: Variables
  readonly clock?: MovableClock
  readonly accounts?: OwnAccounts
}

/** A busy machine must not look like a silent provider. */
const patient: Variables = { PROVIDER_TIMEOUT: "8 seconds" }

/** Delays the simulators, for tests that act between the acceptance and the completion of a payment. */
export const leisurely: Variables = { SANDBOX_RAIL_PACE: "1 second" }

const paymentServer = (backend: Backend, options: Options) => {
  const { accounts, clock = movableClock(), providers = [], variables = {} } = options
  return graphOf({
    services: served(variables).pipe(Layer.provideMerge(serverOver(servicesWithSimulators(providers, accounts)))),
    stores: openStoresOn(backend),
    foundation: TestFoundation,
    settings: testSettings({ ...patient, ...variables }).pipe(
      Layer.provideMerge(Layer.setClock(clock)),
      Layer.provideMerge(quiet)
    )
  })
}

type Provided = Layer.Layer.Success<ReturnType<typeof paymentServer>>

export type PaymentTests = Vitest.MethodsNonLive<Provided, true>

/** Compares the books, after every test, with the providers' funds and with the answers to callers. */
const checkedAgainstProviders = (it: PaymentTests, { accounts, providers = [] }: Options): PaymentTests => {
  const check = ledgerMatchesProviders(providers, accounts)
  const effect: PaymentTests["effect"] = Object.assign(
    (...[name, self, timeout]: Parameters<PaymentTests["effect"]>) =>
      it.effect(name, (context) => Effect.zipLeft(self(context), check), timeout),
    it.effect
  )
  return Object.assign(Object.create(it) as PaymentTests, { effect })
}

export const onPaymentServer = (
  name: string,
  backend: Backend,
  options: Options,
  tests: (it: PaymentTests) => void
): void =>
  layer(paymentServer(backend, options), { excludeTestServices: true, timeout: "60 seconds" })(
    `${name} on ${backend}`,
    (it) => tests(checkedAgainstProviders(it, options))
  )

export const onDatabasePaymentServer = <Made extends Options>(
  name: string,
  make: () => Made,
  tests: (it: PaymentTests, made: Made) => void
): void => {
  const made = make()
  onPaymentServer(name, "PostgreSQL", made, (it) => tests(it, made))
}

/** Serves card payins (or others) in this country with these providers, the first with priority 1. */
export const serveCountry = (
  country: string,
  providers: ReadonlyArray<ProviderName>,
  payment_method: PaymentMethod = "card",
  direction: Flow = "inbound"
) =>
  Effect.gen(function* () {
    const store = yield* ProviderConfigStore
    const ids = yield* Ids
    return yield* Effect.forEach(providers, (provider, index) =>
      Effect.flatMap(ids.make(ConfigId), (config_id) =>
        store.insert([
          {
            config_id,
            org_id: null,
            provider,
            country: CountryCode.make(country),
            payment_method,
            direction,
            priority: index + 1,
            is_active: true
          }
        ])
      )
    )
  })
