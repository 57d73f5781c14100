/** What happens, given the stores: every service of the domain, the same for the server, the CLI and the tests. */
import { Layer } from "effect"
import { AccountFunding } from "../treasury/accounts/AccountFunding.ts"
import { AccountMovements } from "../treasury/accounts/AccountMovements.ts"
import { RecordMovement } from "../treasury/accounts/RecordMovement.ts"
import { VirtualAccounts } from "../treasury/accounts/VirtualAccounts.ts"
import { Analytics } from "../payments/analytics/Analytics.ts"
import { ApiKeys } from "../people/apiKeys/ApiKeys.ts"
import { AuditLog } from "../platform/audit/AuditLog.ts"
import { Authenticator } from "../people/auth/Authenticator.ts"
import { DevelopmentIssuer, JwtVerifierLive } from "../people/auth/DevelopmentIssuer.ts"
import { gateByCredentials } from "../people/auth/Gate.ts"
import { Beneficiaries } from "../payments/beneficiaries/Beneficiaries.ts"
import { BlockedPayouts } from "../treasury/escrow/BlockedPayouts.ts"
import { CreateEscrow } from "../treasury/escrow/CreateEscrow.ts"
import { Disbursing } from "../treasury/escrow/Disbursing.ts"
import { Escrows } from "../treasury/escrow/Escrows.ts"
import { EscrowTransaction } from "../treasury/escrow/EscrowTransaction.ts"
import { PartyPayouts } from "../treasury/escrow/PartyPayouts.ts"
import { PayoutWorker } from "../treasury/escrow/PayoutWorker.ts"
import { Fees } from "../money/fees/Fees.ts"
import { Workers } from "../platform/fibers/Workers.ts"
import { RateLimits } from "../platform/http/RateLimits.ts"
import { Idempotency } from "../platform/idempotency/Idempotency.ts"
import { Ledger } from "../money/ledger/Ledger.ts"
import { LinkCheckout } from "../hosted/links/LinkCheckout.ts"
import { LinkMethods } from "../hosted/links/LinkMethods.ts"
import { LinkPrices } from "../hosted/links/LinkPrices.ts"
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
import { Receipts } from "../hosted/pages/Receipts.ts"
import { PaymentsLive } from "../payments/PaymentsLive.ts"
import { Payments } from "../payments/read/Payments.ts"
import { ProvidersLive } from "../providers/accounts/ProvidersLive.ts"
import type { Providers } from "../providers/port/Provider.ts"
import { ProviderConfigsLive } from "../providers/configs/ProviderConfigsLive.ts"
import { ProviderAnswer } from "../payments/dispatch/ProviderAnswer.ts"
import { ProviderHealth } from "../providers/health/ProviderHealth.ts"
import { RailCustomer } from "../providers/sandbox/RailCustomer.ts"
import { RateQuote } from "../money/rates/RateQuote.ts"
import { Rates } from "../money/rates/Rates.ts"
import { OtherItemsLive } from "../treasury/escrow/PayoutItems.ts"
import { FundingAnswersLive, StateAsAnswerLive, VerificationSubjectsLive } from "./HandedDown.ts"
import { Sandbox } from "./sandbox/Sandbox.ts"
import { Users } from "../people/users/Users.ts"
import { Acceptance } from "../people/members/Acceptance.ts"
import { Notify } from "../people/verification/Notify.ts"
import { Recipients } from "../people/verification/Recipients.ts"
import { Sessions } from "../people/session/Sessions.ts"
import { Verification } from "../people/verification/Verification.ts"
import { DeadLetters } from "../webhooks/delivery/DeadLetters.ts"
import { HookClient } from "../webhooks/delivery/HookClient.ts"
import { Events } from "../webhooks/Events.ts"
import { Secrets } from "../platform/secrets/Secrets.ts"
import { WebhookLog } from "../webhooks/WebhookLog.ts"
import { Webhooks } from "../webhooks/Webhooks.ts"

/** A request that a crash cut off is answered by reading its payment; whoever acts on one claims its key first. */
const IdempotencyLive = Idempotency.layer.pipe(
  Layer.provide(StateAsAnswerLive),
  Layer.provideMerge(Payments.layer),
  Layer.provide([FundingAnswersLive, OtherItemsLive])
)

const WebhooksLive = Layer.mergeAll(DeadLetters.layer, HookClient.layer, Webhooks.layer, WebhookLog.layer)

const PeopleLive = Layer.mergeAll(
  Invitations.layer.pipe(Layer.provide(Acceptance.layer)),
  Sessions.layer.pipe(Layer.provideMerge(Members.layer))
).pipe(Layer.provideMerge(ApiKeys.layer))

const ChecksLive = Layer.mergeAll(
  Kyb.layer.pipe(Layer.provide(KybProvider.layerBuiltIn)),
  Verification.layer.pipe(
    Layer.provide(Notify.layer),
    Layer.provide(Recipients.layer),
    Layer.provide(VerificationSubjectsLive)
  )
)

const AccountsLive = Layer.mergeAll(AccountMovements.layer, VirtualAccounts.layer).pipe(
  Layer.provideMerge(RecordMovement.layer)
)

const EscrowsLive = Escrows.layer.pipe(
  Layer.provide([BlockedPayouts.layer, CreateEscrow.layer, Disbursing.layer]),
  Layer.provideMerge(PayoutWorker.layer),
  Layer.provide(PartyPayouts.layer),
  Layer.provide(EscrowTransaction.layer)
)

const LinksLive = Layer.mergeAll(
  PaymentLinks.layer,
  Receipts.layer,
  LinkCheckout.layer.pipe(Layer.provide([LinkMethods.layer, LinkPrices.layer]), Layer.provide(Rates.layer))
)

const PagesLive = Checkout.layer.pipe(
  Layer.provide([CardEntry.layer, RailCustomer.layer]),
  Layer.provideMerge(LinksLive)
)

/** Over whichever providers there are: whoever plays them all stands in for the accounts at third parties. */
export const servicesOver = <E, R>(providers: Layer.Layer<Providers, E, R>) =>
  Layer.mergeAll(PeopleLive, ChecksLive, Analytics.layer, EscrowsLive, PagesLive, Rates.layer).pipe(
    Layer.provideMerge(AccountsLive),
    Layer.provideMerge(PaymentsLive),
    Layer.provideMerge(providers),
    Layer.provideMerge(IdempotencyLive),
    Layer.provideMerge(WebhooksLive),
    Layer.provideMerge(AccountFunding),
    Layer.provideMerge(Ledger.layer),
    Layer.provideMerge(Layer.mergeAll(Beneficiaries.layer, Fees.layer, ProviderConfigsLive, Users.layer)),
    Layer.provideMerge(Organizations.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        ProviderAnswer.layer,
        ProviderHealth.layer,
        RateLimits.layer,
        RateQuote.layer,
        AuditLog.layer,
        Notifier.layer,
        Outbox.layer,
        Events.layer,
        Secrets.layer,
        Workers.layer
      )
    )
  )

export const ServicesLive = servicesOver(ProvidersLive)

export const SandboxLive = Sandbox.layer.pipe(Layer.provideMerge(DevelopmentIssuer))

export const GateLive = gateByCredentials.pipe(Layer.provide(Authenticator.layer), Layer.provide(JwtVerifierLive))
