/**
 * The part of the service that settles payments by hand, for whoever does no more: what became of them, the books, what
 * virtual accounts have to say, and whoever can send money back.
 */
import { Layer } from "effect"
import { feeRuleStoreSql } from "../money/fees/FeeRuleSql.ts"
import { Fees } from "../money/fees/Fees.ts"
import { Ledger } from "../money/ledger/Ledger.ts"
import { ledgerStoreSql } from "../money/ledger/LedgerSql.ts"
import { ProviderAnswer } from "../payments/route/ProviderAnswer.ts"
import { RecordOutcome } from "../payments/settlement/RecordOutcome.ts"
import { PaymentRouter } from "../payments/route/PaymentRouter.ts"
import { paymentStoreSql } from "../payments/store/PaymentSql.ts"
import { Resolution } from "../payments/settlement/Resolution.ts"
import { organizationStoreSql } from "../people/organizations/OrganizationSql.ts"
import { Organizations } from "../people/organizations/Organizations.ts"
import { AuditLog } from "../platform/audit/AuditLog.ts"
import { auditStoreSql } from "../platform/audit/AuditSql.ts"
import { Settings } from "../platform/config/Settings.ts"
import { Transactor } from "../platform/database/Transactor.ts"
import { Workers } from "../platform/fibers/Workers.ts"
import { layerInTurn } from "../platform/fibers/LayerInTurn.ts"
import { Secrets } from "../platform/secrets/Secrets.ts"
import { secretStoreSql } from "../platform/secrets/SecretSql.ts"
import { platformAccountStoreSql } from "../providers/accounts/PlatformAccountSql.ts"
import { providerAccountStoreSql } from "../providers/accounts/ProviderAccountSql.ts"
import { ProvidersLive } from "../providers/accounts/ProvidersLive.ts"
import { ProviderConfigsLive } from "../providers/configs/ProviderConfigsLive.ts"
import { providerConfigStoreSql } from "../providers/configs/ProviderConfigSql.ts"
import { ProviderHealth } from "../providers/health/ProviderHealth.ts"
import { railStoreSql } from "../providers/sandbox/RailSql.ts"
import { AccountFunding } from "../treasury/accounts/AccountFunding.ts"
import { virtualAccountStoreSql } from "../treasury/accounts/VirtualAccountSql.ts"
import { virtualTransactionStoreSql } from "../treasury/accounts/VirtualTransactionSql.ts"
import { Events } from "../webhooks/Events.ts"
import { eventStoreSql } from "../webhooks/EventSql.ts"
import { foundedOn, type Reached } from "./Foundation.ts"
import { ProviderSettingsLive } from "./sandbox/Fakes.ts"

const StoresLive = Layer.mergeAll(
  Transactor.layer,
  auditStoreSql,
  eventStoreSql,
  feeRuleStoreSql,
  ledgerStoreSql,
  organizationStoreSql,
  paymentStoreSql,
  platformAccountStoreSql,
  providerAccountStoreSql,
  providerConfigStoreSql,
  railStoreSql,
  secretStoreSql,
  virtualAccountStoreSql,
  virtualTransactionStoreSql
)

/** On a database that is reached in the given way. */
export const paymentSettlementsOn = <E>(Connected: Reached<E>) =>
  layerInTurn(
    Resolution.layer.pipe(
      Layer.provide(RecordOutcome.layer),
      Layer.provide(PaymentRouter.layer),
      Layer.provide(ProvidersLive),
      // Nobody would miss it who is not told: whoever leaves it out books no withdrawal.
      Layer.provide(AccountFunding),
      Layer.provide([Fees.layer, Ledger.layer, ProviderConfigsLive]),
      Layer.provide(Organizations.layer),
      Layer.provide([
        AuditLog.layer,
        Events.layer,
        ProviderAnswer.layer,
        ProviderHealth.layer,
        Secrets.layer,
        Workers.layer
      ]),
      Layer.provide(StoresLive),
      Layer.provideMerge(foundedOn(Connected)),
      Layer.provideMerge(ProviderSettingsLive),
      Layer.provideMerge(Settings.layer)
    )
  )
