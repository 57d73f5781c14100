/** The HTTP side as one effect: routes from the contract and its handlers, served until the scope ends. */
import { Effect, Option } from "effect"
import { apiKeysHandlers } from "../apiKeys/Http.ts"
import { auditLogHandlers } from "../audit/Http.ts"
import { Settings } from "../config/Settings.ts"
import { makeExchange } from "../http/Exchange.ts"
import { apiRoutes, routerOf } from "../http/Router.ts"
import { serve } from "../http/Server.ts"
import { metricsRoute, systemRoutes } from "../http/SystemRoutes.ts"

const implementation = Effect.all({
  apiKeys: apiKeysHandlers,
  auditLog: auditLogHandlers
})

/** Answers with the port it listens on; port 0 takes any free one. */
export const serveHttp = Effect.fn("serveHttp")(function* (port: number) {
  const { corsOrigins, host, metricsPort, mode } = yield* Settings
  const api = yield* Effect.flatMap(implementation, apiRoutes)
  const system = yield* systemRoutes
  const metrics = yield* metricsRoute
  const exchange = yield* makeExchange
  const shown = mode === "live" ? [] : [metrics]
  if (Option.isSome(metricsPort)) {
    yield* serve(exchange(routerOf([metrics]), new Map()), { port: metricsPort.value, host })
  }
  return yield* serve(exchange(routerOf([...api, ...system, ...shown]), corsOrigins), { port, host })
})
