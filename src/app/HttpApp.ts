/** The HTTP side as one effect: routes from the contract and its handlers, served until the scope ends. */
import { Effect, Option } from "effect"
import { virtualAccountsHandlers } from "../accounts/Http.ts"
import { analyticsHandlers } from "../analytics/Http.ts"
import { apiKeysHandlers } from "../apiKeys/Http.ts"
import { auditLogHandlers } from "../audit/Http.ts"
import { bankValidationHandlers } from "../bankValidation/Http.ts"
import { beneficiariesHandlers } from "../beneficiaries/Http.ts"
import { Settings } from "../config/Settings.ts"
import { escrowHandlers } from "../escrow/Http.ts"
import { makeExchange } from "../http/Exchange.ts"
import { apiRoutes, routerOf } from "../http/Router.ts"
import { serve } from "../http/Server.ts"
import { metricsRoute, systemRoutes } from "../http/SystemRoutes.ts"
import { paymentLinksHandlers } from "../links/Http.ts"
import { membersHandlers } from "../members/Http.ts"
import { invitationsHandlers } from "../members/InvitationsHttp.ts"
import { kybCallbackRoutes } from "../kyb/CallbackRoute.ts"
import { kybHandlers } from "../kyb/Http.ts"
import { networksHandlers } from "../networks/Http.ts"
import { organizationsHandlers } from "../organizations/Http.ts"
import { checkoutRoutes } from "../pages/CheckoutRoute.ts"
import { linkRoutes } from "../pages/link/LinkRoute.ts"
import { callbackRoutes } from "../payments/CallbackRoute.ts"
import { paymentsHandlers } from "../payments/Http.ts"
import { paymentsInitHandlers } from "../payments/InitiationHttp.ts"
import { providerConfigsHandlers } from "../providers/Http.ts"
import { rampsHandlers } from "../ramps/Http.ts"
import { ratesHandlers } from "../rates/Http.ts"
import { usersHandlers } from "../users/Http.ts"
import { verificationHandlers } from "../verification/Http.ts"
import { webhooksHandlers } from "../webhooks/Http.ts"
import { webhookLogHandlers } from "../webhooks/LogHttp.ts"

const implementation = Effect.all({
  analytics: analyticsHandlers,
  apiKeys: apiKeysHandlers,
  auditLog: auditLogHandlers,
  bankValidation: Effect.succeed(bankValidationHandlers),
  beneficiaries: beneficiariesHandlers,
  escrow: escrowHandlers,
  invitations: invitationsHandlers,
  members: membersHandlers,
  kyb: kybHandlers,
  networks: Effect.succeed(networksHandlers),
  organizations: organizationsHandlers,
  paymentLinks: paymentLinksHandlers,
  payments: paymentsHandlers,
  paymentsInit: paymentsInitHandlers,
  providerConfigs: providerConfigsHandlers,
  ramps: rampsHandlers,
  rates: ratesHandlers,
  users: usersHandlers,
  verification: verificationHandlers,
  virtualAccounts: virtualAccountsHandlers,
  webhookLog: webhookLogHandlers,
  webhooks: webhooksHandlers
})

/** Answers with the port it listens on; port 0 takes any free one. */
export const serveHttp = Effect.fn("serveHttp")(function* (port: number) {
  const { corsOrigins, host, metricsPort, mode } = yield* Settings
  const api = yield* Effect.flatMap(implementation, apiRoutes)
  const system = yield* systemRoutes
  const callbacks = [...(yield* callbackRoutes), ...(yield* kybCallbackRoutes)]
  const pages = [...(yield* checkoutRoutes), ...(yield* linkRoutes)]
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
