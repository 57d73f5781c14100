/** The part of the service that knows who serves which corridor, and how they have answered, for whoever needs no more. */
import { Layer } from "effect"
import { Analytics } from "../payments/analytics/Analytics.ts"
import { analyticsStoreSql } from "../payments/analytics/AnalyticsSql.ts"
import { AuditLog } from "../platform/audit/AuditLog.ts"
import { auditStoreSql } from "../platform/audit/AuditSql.ts"
import { Settings } from "../platform/config/Settings.ts"
import { Transactor } from "../platform/database/Transactor.ts"
import { layerInTurn } from "../platform/fibers/LayerInTurn.ts"
import { Secrets } from "../platform/secrets/Secrets.ts"
import { secretStoreSql } from "../platform/secrets/SecretSql.ts"
import { platformAccountStoreSql } from "../providers/accounts/PlatformAccountSql.ts"
import { providerAccountStoreSql } from "../providers/accounts/ProviderAccountSql.ts"
import { ProviderConfigsLive } from "../providers/configs/ProviderConfigsLive.ts"
import { providerConfigStoreSql } from "../providers/configs/ProviderConfigSql.ts"
import { foundedOn, type Reached } from "./Foundation.ts"
import { ProviderSettingsLive } from "./sandbox/Fakes.ts"

const StoresLive = Layer.mergeAll(
  Transactor.layer,
  analyticsStoreSql,
  auditStoreSql,
  platformAccountStoreSql,
  providerAccountStoreSql,
  providerConfigStoreSql,
  secretStoreSql
)

/** On a database that is reached in the given way. */
export const providerRecordsOn = <E>(Connected: Reached<E>) =>
  layerInTurn(
    Layer.merge(Analytics.layer, ProviderConfigsLive).pipe(
      Layer.provide([AuditLog.layer, Secrets.layer]),
      Layer.provide(StoresLive),
      Layer.provideMerge(foundedOn(Connected)),
      Layer.provideMerge(ProviderSettingsLive),
      Layer.provideMerge(Settings.layer)
    )
  )
