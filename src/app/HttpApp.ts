/** The HTTP side as one effect: routes from the contract and its handlers, served until the scope ends. */
import { Effect, Option } from "effect"
import { apiKeysHandlers } from "../apiKeys/Http.ts"
import { auditLogHandlers } from "../audit/Http.ts"
import { beneficiariesHandlers } from "../beneficiaries/Http.ts"
import { Settings } from "../config/Settings.ts"
import { makeExchange } from "../http/Exchange.ts"
import { apiRoutes, routerOf } from "../http/Router.ts"
import { serve } from "../http/Server.ts"
import { metricsRoute, systemRoutes } from "../http/SystemRoutes.ts"
import { networksHandlers } from "../networks/Http.ts"
import { checkoutRoutes } from "../pages/CheckoutRoute.ts"
import { callbackRoutes } from "../payments/CallbackRoute.ts"
import { paymentsHandlers } from "../payments/Http.ts"
import { paymentsInitHandlers } from "../payments/InitiationHttp.ts"
import { providerConfigsHandlers } from "../providers/Http.ts"
import { ratesHandlers } from "../rates/Http.ts"
import { webhooksHandlers } from "../webhooks/Http.ts"
import { webhookLogHandlers } from "../webhooks/LogHttp.ts"

const implementation = Effect.all({
  apiKeys: apiKeysHandlers,
  auditLog: auditLogHandlers,
  beneficiaries: beneficiariesHandlers,
  networks: Effect.succeed(networksHandlers),
  payments: paymentsHandlers,
  paymentsInit: paymentsInitHandlers,
  providerConfigs: providerConfigsHandlers,
  rates: ratesHandlers,
  webhookLog: webhookLogHandlers,
  webhooks: webhooksHandlers
})

/** Answers with the port it listens on; port 0 takes any free one. */
export const serveHttp = Effect.fn("serveHttp")(function* (port: number) {
  const { corsOrigins, host, metricsPort, mode } = yield* Settings
  const api = yield* Effect.flatMap(implementation, apiRoutes)
  const system = yield* systemRoutes
  const callbacks = yield* callbackRoutes
  const pages = yield* checkoutRoutes
  const metrics = yield* metricsRoute
  const exchange = yield* makeExchange
  const shown = mode === "live" ? [] : [metrics]
  if (Option.isSome(metricsPort)) {
    yield* serve(exchange(routerOf([metrics]), new Map()), { port: metricsPort.value, host })
  }
  return yield* serve(exchange(routerOf([...api, ...callbacks, ...pages, ...system, ...shown]), corsOrigins), {
    port,
    host
  })
})
