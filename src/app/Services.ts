/** What happens, given the stores: every service of the domain, the same for the server, the CLI and the tests. */
import { Effect, Layer } from "effect"
import { AccountFunding } from "../treasury/accounts/AccountFunding.ts"
import { AccountMovements } from "../treasury/accounts/AccountMovements.ts"
import { VirtualAccounts } from "../treasury/accounts/VirtualAccounts.ts"
import { Analytics } from "../payments/analytics/Analytics.ts"
import { ApiKeys } from "../people/apiKeys/ApiKeys.ts"
import { AuditLog } from "../platform/audit/AuditLog.ts"
import { Authenticator } from "../people/auth/Authenticator.ts"
import { DevelopmentIssuer, JwtVerifierLive } from "../people/auth/DevelopmentIssuer.ts"
import { gateByCredentials } from "../people/auth/Gate.ts"
import { Beneficiaries } from "../payments/beneficiaries/Beneficiaries.ts"
import { Settings } from "../platform/config/Settings.ts"
import { Escrows } from "../treasury/escrow/Escrows.ts"
import { Fees } from "../money/fees/Fees.ts"
import { Workers } from "../platform/fibers/Workers.ts"
import { Idempotency } from "../platform/idempotency/Idempotency.ts"
import { Ledger } from "../money/ledger/Ledger.ts"
import { LinkCheckout } from "../hosted/links/LinkCheckout.ts"
import { PaymentLinks } from "../hosted/links/PaymentLinks.ts"
import { Invitations } from "../people/members/Invitations.ts"
import { Members } from "../people/members/Members.ts"
import { Kyb } from "../people/kyb/Kyb.ts"
import { KybProvider } from "../people/kyb/KybProvider.ts"
import { Notifier } from "../platform/notifications/Notifier.ts"
import { Outbox } from "../platform/notifications/Outbox.ts"
import { Organizations } from "../people/organizations/Organizations.ts"
import { CardEntry } from "../hosted/pages/CardEntry.ts"
import { Checkout } from "../hosted/pages/Checkout.ts"
import { PaymentsLive } from "../payments/PaymentsLive.ts"
import { Payments } from "../payments/read/Payments.ts"
import { Providers } from "../providers/port/Provider.ts"
import { ProviderConfigs } from "../providers/configs/ProviderConfigs.ts"
import { ProviderAnswer } from "../payments/dispatch/ProviderAnswer.ts"
import { ProviderHealth } from "../providers/health/ProviderHealth.ts"
import { RailCustomer } from "../providers/sandbox/RailCustomer.ts"
import { makeRails } from "../providers/sandbox/Rails.ts"
import { RateQuote } from "../money/rates/RateQuote.ts"
import { Rates } from "../money/rates/Rates.ts"
import { StateAsAnswerLive, VerificationSubjectsLive } from "./HandedDown.ts"
import { Sandbox } from "./sandbox/Sandbox.ts"
import { Users } from "../people/users/Users.ts"
import { Verification } from "../people/verification/Verification.ts"
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

const CheckoutLive = Checkout.layer.pipe(Layer.provide([CardEntry.layer, RailCustomer.layer]))

/** A request that a crash cut off is answered by reading its payment; whoever acts on one claims its key first. */
const IdempotencyLive = Idempotency.layer.pipe(Layer.provide(StateAsAnswerLive), Layer.provideMerge(Payments.layer))

const WebhooksLive = Layer.mergeAll(DeadLetters.layer, HookClient.layer, Webhooks.layer, WebhookLog.layer)

const PeopleLive = Layer.mergeAll(Invitations.layer, Members.layer, Users.layer).pipe(Layer.provideMerge(ApiKeys.layer))

const ChecksLive = Layer.mergeAll(
  Kyb.layer.pipe(Layer.provide(KybProvider.layerBuiltIn)),
  Verification.layer.pipe(Layer.provide(VerificationSubjectsLive))
)

const AccountsLive = Layer.mergeAll(AccountMovements.layer, VirtualAccounts.layer)

const LinksLive = Layer.mergeAll(PaymentLinks.layer, LinkCheckout.layer.pipe(Layer.provide(Rates.layer)))

export const ServicesLive = Layer.mergeAll(
  PeopleLive,
  ChecksLive,
  Analytics.layer,
  Escrows.layer,
  LinksLive,
  Rates.layer
).pipe(
  Layer.provideMerge(AccountsLive),
  Layer.provideMerge(CheckoutLive),
  Layer.provideMerge(PaymentsLive),
  Layer.provideMerge(ProvidersLive),
  Layer.provideMerge(IdempotencyLive),
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

export const GateLive = gateByCredentials.pipe(Layer.provide(Authenticator.layer), Layer.provide(JwtVerifierLive))
