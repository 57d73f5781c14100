/**
 * Resolves payments by an operator's decision, for commands that need no other part: ledger, fees, refunds, withdrawals.
 */
import { Layer } from "effect"
import { Fees } from "../money/fees/Fees.ts"
import { Ledger } from "../money/ledger/Ledger.ts"
import { CallProvider } from "../payments/route/CallProvider.ts"
import { PaymentDecisions } from "../payments/read/PaymentDecisions.ts"
import { RecordOutcome } from "../payments/settlement/RecordOutcome.ts"
import { PaymentRouter } from "../payments/route/PaymentRouter.ts"
import { incomingTransferStoreSql } from "../treasury/accounts/IncomingTransferStore.ts"
import { paymentStoreSql } from "../payments/store/PaymentSql.ts"
import { Resolution } from "../payments/settlement/Resolution.ts"
import { Organizations } from "../people/organizations/Organizations.ts"
import { AuditLog } from "../platform/audit/AuditLog.ts"
import { Workers } from "../platform/fibers/Workers.ts"
import { Secrets } from "../platform/secrets/Secrets.ts"
import { platformAccountStoreSql, providerAccountStoreSql } from "../providers/accounts/ProviderAccountStore.ts"
import { ProvidersLive } from "../providers/accounts/ProviderAccounts.ts"
import { ProviderConfigsLive } from "../providers/configs/ProviderCredentials.ts"
import { providerConfigStoreSql } from "../providers/configs/ProviderConfigStore.ts"
import type { Providers } from "../providers/port/Provider.ts"
import { ProviderHealth } from "../providers/health/ProviderHealth.ts"
import { simulatorStoreSql } from "../providers/sandbox/SimulatorSql.ts"
import { escrowPayoutStoreSql } from "../treasury/escrow/EscrowPayoutStore.ts"
import { TreasuryEvents } from "../treasury/escrow/TreasuryEvents.ts"
import { EventPublisher } from "../webhooks/EventPublisher.ts"
import { type DatabaseLayer, graphOn } from "./Graph.ts"
import { RecordStoresLive } from "./RecordServices.ts"
import { ProviderSettingsLive } from "./SandboxFakes.ts"

const StoresLive = Layer.mergeAll(
  RecordStoresLive,
  escrowPayoutStoreSql,
  incomingTransferStoreSql,
  paymentStoreSql,
  platformAccountStoreSql,
  providerAccountStoreSql,
  providerConfigStoreSql,
  simulatorStoreSql
)

export const settlementServicesOver = <E, R>(providers: Layer.Layer<Providers, E, R>) =>
  Layer.merge(Resolution.layer, PaymentDecisions.layer).pipe(
    Layer.provideMerge(RecordOutcome.layer),
    Layer.provideMerge(PaymentRouter.layer),
    Layer.provideMerge(providers),
    Layer.provideMerge(TreasuryEvents),
    Layer.provideMerge(Layer.mergeAll(Fees.layer, Ledger.layer, ProviderConfigsLive)),
    Layer.provideMerge(Organizations.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        AuditLog.layer,
        EventPublisher.layer,
        CallProvider.layer,
        ProviderHealth.layer,
        Secrets.layer,
        Workers.layer
      )
    )
  )

export const settlementServicesOn = <E>(Connected: DatabaseLayer<E>) =>
  graphOn(Connected, {
    services: settlementServicesOver(ProvidersLive),
    stores: StoresLive,
    settings: ProviderSettingsLive
  })
