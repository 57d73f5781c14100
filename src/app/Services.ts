/** What happens, given the stores: every service of the domain, the same for the server, the CLI and the tests. */
import { Effect, Layer } from "effect"
import { AccountFunding } from "../accounts/AccountFunding.ts"
import { AccountMovements } from "../accounts/AccountMovements.ts"
import { VirtualAccounts } from "../accounts/VirtualAccounts.ts"
import { Analytics } from "../analytics/Analytics.ts"
import { ApiKeys } from "../apiKeys/ApiKeys.ts"
import { AuditLog } from "../audit/AuditLog.ts"
import { Authenticator } from "../auth/Authenticator.ts"
import { DevelopmentIssuer, JwtVerifierLive } from "../auth/DevelopmentIssuer.ts"
import { Gate } from "../auth/Gate.ts"
import { Beneficiaries } from "../beneficiaries/Beneficiaries.ts"
import { Settings } from "../config/Settings.ts"
import { Escrows } from "../escrow/Escrows.ts"
import { Fees } from "../fees/Fees.ts"
import { Workers } from "../fibers/Workers.ts"
import { Idempotency } from "../idempotency/Idempotency.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { LinkCounter } from "../links/LinkCounter.ts"
import { PaymentLinks } from "../links/PaymentLinks.ts"
import { Invitations } from "../members/Invitations.ts"
import { Members } from "../members/Members.ts"
import { Kyb } from "../kyb/Kyb.ts"
import { KybProvider } from "../kyb/KybProvider.ts"
import { Notifier } from "../notifications/Notifier.ts"
import { Outbox } from "../notifications/Outbox.ts"
import { Organizations } from "../organizations/Organizations.ts"
import { CardEntry } from "../pages/CardEntry.ts"
import { Checkout } from "../pages/Checkout.ts"
import { Actions } from "../payments/actions/Actions.ts"
import { Callbacks } from "../payments/Callbacks.ts"
import { Dispatch } from "../payments/Dispatch.ts"
import { Enquiries } from "../payments/Enquiries.ts"
import { Initiation } from "../payments/Initiation.ts"
import { Payments } from "../payments/Payments.ts"
import { Resolution } from "../payments/Resolution.ts"
import { Progress } from "../payments/Progress.ts"
import { Settling } from "../payments/ramp/Settling.ts"
import { Providers } from "../providers/Provider.ts"
import { ProviderConfigs } from "../providers/ProviderConfigs.ts"
import { ProviderAnswer } from "../payments/ProviderAnswer.ts"
import { ProviderHealth } from "../providers/ProviderHealth.ts"
import { RailCustomer } from "../rails/RailCustomer.ts"
import { makeRails } from "../rails/Rails.ts"
import { Ramps } from "../ramps/Ramps.ts"
import { RateQuote } from "../rates/RateQuote.ts"
import { Rates } from "../rates/Rates.ts"
import { Sandbox } from "../sandbox/Sandbox.ts"
import { Users } from "../users/Users.ts"
import { Verification } from "../verification/Verification.ts"
import { DeadLetters } from "../webhooks/delivery/DeadLetters.ts"
import { HookClient } from "../webhooks/delivery/HookClient.ts"
import { WebhookLog } from "../webhooks/WebhookLog.ts"
import { Webhooks } from "../webhooks/Webhooks.ts"

/** Who may be asked to move money: in sandbox mode the built-in rails. */
const ProvidersLive = Layer.effect(
  Providers,
  Effect.gen(function* () {
    const { mode } = yield* Settings
    return Providers.fromList(mode === "sandbox" ? yield* makeRails : [])
  })
)

const PaymentsLive = Layer.mergeAll(
  Actions.layer,
  Checkout.layer.pipe(Layer.provide([CardEntry.layer, RailCustomer.layer])),
  Initiation.layer,
  Callbacks.layer,
  Enquiries.layer,
  Payments.layer,
  Ramps.layer,
  Resolution.layer
).pipe(
  Layer.provideMerge(Settling.layer),
  Layer.provide(Dispatch.layer),
  Layer.provide(Progress.layer),
  Layer.provideMerge(ProvidersLive)
)

const WebhooksLive = Layer.mergeAll(DeadLetters.layer, HookClient.layer, Webhooks.layer, WebhookLog.layer)

const PeopleLive = Layer.mergeAll(Invitations.layer, Members.layer, Users.layer).pipe(Layer.provideMerge(ApiKeys.layer))

const ChecksLive = Layer.mergeAll(Kyb.layer.pipe(Layer.provide(KybProvider.layerBuiltIn)), Verification.layer)

const AccountsLive = Layer.mergeAll(AccountMovements.layer, VirtualAccounts.layer)

const LinksLive = Layer.mergeAll(PaymentLinks.layer, LinkCounter.layer.pipe(Layer.provide(Rates.layer)))

export const ServicesLive = Layer.mergeAll(
  PeopleLive,
  ChecksLive,
  Analytics.layer,
  Escrows.layer,
  Idempotency.layer,
  LinksLive,
  Rates.layer
).pipe(
  Layer.provideMerge(AccountsLive),
  Layer.provideMerge(PaymentsLive),
  Layer.provideMerge(WebhooksLive),
  Layer.provideMerge(AccountFunding),
  Layer.provideMerge(Ledger.layer),
  Layer.provideMerge(Layer.mergeAll(Beneficiaries.layer, Fees.layer, Organizations.layer, ProviderConfigs.layer)),
  Layer.provideMerge(
    Layer.mergeAll(
      ProviderAnswer.layer,
      ProviderHealth.layer,
      RateQuote.layer,
      AuditLog.layer,
      Notifier.layer,
      Outbox.layer,
      Workers.layer
    )
  )
)

export const SandboxLive = Sandbox.layer.pipe(Layer.provideMerge(DevelopmentIssuer))

export const GateLive = Gate.layer.pipe(Layer.provide(Authenticator.layer), Layer.provide(JwtVerifierLive))
