/** The HTTP server: routes from the contract and its handlers, served until the scope ends. */
import { Effect, Option } from "effect"
import { virtualAccountsHandlers } from "../treasury/accounts/VirtualAccountsHttp.ts"
import { analyticsHandlers } from "../payments/analytics/Analytics.ts"
import { apiKeysHandlers } from "../people/apiKeys/ApiKeys.ts"
import { reservesHandlers } from "../payments/reserves/Reserves.ts"
import { balancesHandlers } from "../money/ledger/Ledger.ts"
import {
  bankValidationHandlers,
  beneficiariesHandlers,
  networksHandlers
} from "../payments/beneficiaries/Beneficiaries.ts"
import { Settings } from "../platform/config/Settings.ts"
import { Ids } from "../domain/Ids.ts"
import { escrowHandlers } from "../treasury/escrow/Escrows.ts"
import { handleExchange } from "../platform/http/HttpExchange.ts"
import { apiRoutes, routerOf } from "../platform/http/EndpointRoute.ts"
import { serve } from "../platform/http/HttpServer.ts"
import { metricsRoute, systemRoutes } from "../platform/http/SystemRoutes.ts"
import { paymentLinksHandlers } from "../hosted/links/PaymentLinksHttp.ts"
import { invitationsHandlers } from "../people/members/Invitations.ts"
import { membersHandlers } from "../people/members/Members.ts"
import { kybCallbackRoutes, kybHandlers } from "../people/kyb/KybHttp.ts"
import { organizationsHandlers } from "../people/organizations/Organizations.ts"
import { checkoutRoutes } from "../hosted/pages/CheckoutRoutes.ts"
import { guideRoutes } from "../hosted/guides/GuidesHttp.ts"
import { consoleRoutes } from "../hosted/console/ConsoleRoutes.ts"
import { linkRoutes } from "../hosted/pages/link/LinkRoutes.ts"
import { callbackRoutes } from "../payments/callbacks/CallbackRoute.ts"
import { paymentsHandlers, paymentsInitHandlers, rampsHandlers, resolutionsHandlers } from "../payments/PaymentsHttp.ts"
import { rulesHandlers } from "../payments/rules/RulesHttp.ts"
import { feesHandlers } from "../money/fees/Fees.ts"
import { ratesHandlers } from "../money/rates/Rates.ts"
import { sessionHandlers } from "../people/SessionHttp.ts"
import { usersHandlers } from "../people/users/Users.ts"
import { verificationHandlers } from "../people/verification/Verification.ts"
import { webhookLogHandlers } from "../webhooks/delivery/WebhookLogHttp.ts"
import { webhooksHandlers } from "../webhooks/Webhooks.ts"
import { auditLogHandlers } from "../platform/audit/AuditLog.ts"
import { savedViewsHandlers } from "../payments/views/SavedViews.ts"
import { providerConfigsHandlers } from "../providers/configs/ProviderConfigsHttp.ts"
import { traced } from "../platform/observability/Spans.ts"

const implementation = Effect.all({
  analytics: analyticsHandlers,
  apiKeys: apiKeysHandlers,
  auditLog: auditLogHandlers,
  balances: balancesHandlers,
  bankValidation: Effect.succeed(bankValidationHandlers),
  beneficiaries: beneficiariesHandlers,
  savedViews: savedViewsHandlers,
  escrow: escrowHandlers,
  fees: feesHandlers,
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
  reserves: reservesHandlers,
  resolutions: resolutionsHandlers,
  rules: rulesHandlers,
  session: sessionHandlers,
  users: usersHandlers,
  verification: verificationHandlers,
  virtualAccounts: virtualAccountsHandlers,
  webhookLog: webhookLogHandlers,
  webhooks: webhooksHandlers
})

/** Routes of the API, of provider callbacks and of hosted pages. */
export const businessRoutes = Effect.gen(function* () {
  const api = yield* Effect.flatMap(implementation, apiRoutes)
  const callbacks = [...(yield* callbackRoutes), ...(yield* kybCallbackRoutes)]
  const pages = [...(yield* checkoutRoutes), ...(yield* linkRoutes), ...(yield* consoleRoutes), ...(yield* guideRoutes)]
  return [...api, ...callbacks, ...pages]
})

/** Returns the port that the server listens on; port 0 takes any free one. */
export const serveHttp = traced("serveHttp")(function* (port: number) {
  const { answerBufferMb, answerTimeout, corsOrigins, host, metricsPort, mode, worker } = yield* Settings
  const business = yield* businessRoutes
  const system = yield* systemRoutes
  const metrics = yield* metricsRoute
  const ids = yield* Ids
  const shown = mode === "live" ? [] : [metrics]
  if (Option.isSome(metricsPort)) {
    // Each process has its own metrics and its own port for them.
    const own = { port: metricsPort.value + worker - 1, host }
    yield* serve(handleExchange(ids, routerOf([metrics]), new Set()), own)
  }
  return yield* serve(handleExchange(ids, routerOf([...business, ...system, ...shown]), corsOrigins), {
    port,
    host,
    timeout: answerTimeout,
    mostBytes: answerBufferMb * 1024 * 1024
  })
})
