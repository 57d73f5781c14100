/**
 * Layers of all services on top of the stores, the same for server, CLI and tests. The last lines of `servicesOver` are
 * the lowest layers.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { Layer } from "effect"
import { AccountDetails } from "../treasury/accounts/AccountDetails.ts"
import { AccountMovements } from "../treasury/accounts/AccountMovements.ts"
import { IncomingTransfers, TransferIntakeLive } from "../treasury/accounts/IncomingTransfers.ts"
import { RecordMovement } from "../treasury/accounts/RecordMovement.ts"
import { Authenticator, credentialGate } from "../people/auth/Authenticator.ts"
import { DevelopmentIssuer, JwtVerifierLive } from "../people/auth/DevelopmentIssuer.ts"
import { Beneficiaries } from "../payments/beneficiaries/Beneficiaries.ts"
import { SavedViews } from "../payments/views/SavedViews.ts"
import { Escrows } from "../treasury/escrow/Escrows.ts"
import { EscrowPayoutWorker } from "../treasury/escrow/EscrowPayoutWorker.ts"
import { RateLimits } from "../platform/rateLimits/RateLimits.ts"
import { Idempotency } from "../platform/idempotency/Idempotency.ts"
import { LinkCheckout } from "../hosted/links/LinkCheckout.ts"
import { LinkMethods } from "../hosted/links/LinkVisit.ts"
import { LinkPrices } from "../hosted/links/LinkPrices.ts"
import { PaymentLinks } from "../hosted/links/PaymentLinks.ts"
import { Invitations } from "../people/members/Invitations.ts"
import { KybRequests } from "../people/kyb/KybRequests.ts"
import { Notifier } from "../platform/notifications/Notifier.ts"
import { CardEntry } from "../hosted/pages/CardEntry.ts"
import { Checkout } from "../hosted/pages/Checkout.ts"
import { SendReceipt } from "../hosted/pages/SendReceipt.ts"
import { Rules } from "../payments/rules/Rules.ts"
import { RuleTrial } from "../payments/rules/RuleTrial.ts"
import { PaymentsLive } from "../payments/PaymentsLive.ts"
import { ProvidersLive } from "../providers/accounts/ProviderAccounts.ts"
import type { Providers } from "../providers/port/Provider.ts"
import { SimulatorCustomer } from "../providers/sandbox/SimulatorCustomer.ts"
import { ReplayedAnswersLive, CurrentStateAnswerLive, VerificationSubjectsLive } from "./Ports.ts"
import { PaymentReadServices } from "./PaymentReadServices.ts"
import { settlementServicesOver } from "./SettlementServices.ts"
import { ProviderServices } from "./ProviderServices.ts"
import { RecordServices } from "./RecordServices.ts"
import { RateFeed } from "../money/rates/RateFeed.ts"
import { Sandbox } from "./Sandbox.ts"
import { Sessions } from "../people/SessionHttp.ts"
import { Verification } from "../people/verification/Verification.ts"
import { WebhookClient } from "../webhooks/delivery/WebhookClient.ts"
import { DatabaseConnectionLive, type DatabaseLayer, graphOn } from "./Graph.ts"
import { ProviderSettingsLive } from "./SandboxFakes.ts"
import { StoresLive } from "./Stores.ts"

/** Requests interrupted by a crash are answered from their payment. */
const IdempotencyLive = Idempotency.layer.pipe(
  Layer.provide(CurrentStateAnswerLive),
  Layer.provideMerge(PaymentReadServices),
  Layer.provide(ReplayedAnswersLive)
)

const PeopleLive = Layer.merge(Invitations.layer, Sessions.layer)

const ChecksLive = Layer.mergeAll(KybRequests.layer, Verification.layer.pipe(Layer.provide(VerificationSubjectsLive)))

const AccountsLive = Layer.merge(AccountMovements.layer, AccountDetails.layer).pipe(
  Layer.provideMerge(RecordMovement.layer)
)

/** Callbacks take transfers to virtual accounts. */
const TransfersLive = TransferIntakeLive.pipe(
  Layer.provideMerge(IncomingTransfers.layer),
  Layer.provide(RecordMovement.layer)
)

const EscrowsLive = Escrows.layer.pipe(Layer.provideMerge(EscrowPayoutWorker.layer))

const LinksLive = Layer.mergeAll(
  PaymentLinks.layer,
  SendReceipt.layer,
  LinkCheckout.layer.pipe(Layer.provide([LinkMethods.layer, LinkPrices.layer]))
)

const PagesLive = Checkout.layer.pipe(
  Layer.provide([CardEntry.layer, SimulatorCustomer.layer]),
  Layer.provideMerge(LinksLive)
)

const RulesLive = RuleTrial.layer.pipe(Layer.provideMerge(Rules.layer))

const RateFeedLive = RateFeed.layer.pipe(Layer.provide(FetchHttpClient.layer))

/** Services over the given providers; tests and simulation pass their own. */
export const servicesOver = <E, R>(providers: Layer.Layer<Providers, E, R>) =>
  Layer.mergeAll(PeopleLive, ChecksLive, EscrowsLive, PagesLive, RateFeedLive, RulesLive).pipe(
    Layer.provideMerge(AccountsLive),
    Layer.provideMerge(PaymentsLive),
    Layer.provideMerge(TransfersLive),
    Layer.provideMerge(Layer.merge(IdempotencyLive, WebhookClient.layer)),
    Layer.provideMerge(Layer.mergeAll(Beneficiaries.layer, SavedViews.layer, Notifier.layer, RateLimits.layer)),
    Layer.provideMerge(settlementServicesOver(providers)),
    Layer.provideMerge(ProviderServices),
    Layer.provideMerge(RecordServices)
  )

export const ServicesLive = servicesOver(ProvidersLive)

export const SandboxLive = Sandbox.layer.pipe(Layer.provideMerge(DevelopmentIssuer))

export const GateLive = credentialGate.pipe(Layer.provide(Authenticator.layer), Layer.provide(JwtVerifierLive))

/** Adds authentication and the sandbox's organisations. */
export const serverOver = <A, E, R>(services: Layer.Layer<A, E, R>) =>
  Layer.merge(GateLive, SandboxLive).pipe(Layer.provideMerge(services))

/** Services on a database, for the server and for commands that need everything. */
export const appOn = <E>(Connected: DatabaseLayer<E>) =>
  graphOn(Connected, { services: ServicesLive, stores: StoresLive, settings: ProviderSettingsLive })

export const AppLive = appOn(DatabaseConnectionLive)
